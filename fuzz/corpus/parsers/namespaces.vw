1 0.5 'tag|a:2 x:1e300 y|b z:-1e-300 |c
-1 |a x |a x |b
0 2 0 |f
