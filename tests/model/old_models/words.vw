-1 1 |day sun |shop bar |rain amount:0.67 wind:0.956
-1 |day wed |shop bar |rain amount:0.217 wind:-0.056
-1 |day wed |shop bakery |rain amount:0.016 wind:-0.109
1 |day sat |shop bakery |rain amount:0.986 wind:-0.665
1 1.5 |day wed |shop book_shop |rain amount:0.565 wind:0.181
-1 |day mon |shop bakery |rain amount:-0.242 wind:-0.608
-1 |day tue |shop bank |rain amount:-0.324 wind:0.764
1 |day mon |shop book_shop |rain amount:0.21 wind:-0.874
-1 2 |day sat |shop book_shop |rain amount:0.234 wind:-0.641
1 |day sat |shop book_shop |rain amount:0.791 wind:0.996
-1 |day mon |shop bar |rain amount:0.413 wind:0.89
-1 |day tue |shop bank |rain amount:-0.971 wind:-0.863
1 1 |day wed |shop book_shop |rain amount:-0.437 wind:0.109
1 |day sun |shop bank |rain amount:0.281 wind:-0.766
1 |day sat |shop bar |rain amount:-0.355 wind:0.379
-1 |day mon |shop bakery |rain amount:0.965 wind:-0.243
-1 1.5 |day mon |shop bakery |rain amount:-0.915 wind:0.059
-1 |day mon |shop bar |rain amount:-0.737 wind:0.51
-1 |day sun |shop book_shop |rain amount:-0.897 wind:-0.097
1 |day sun |shop bank |rain amount:0.346 wind:-0.378
-1 2 |day wed |shop bar |rain amount:-0.79 wind:-0.522
1 |day sat |shop bakery |rain amount:0.346 wind:-0.505
1 |day tue |shop bakery |rain amount:0.8 wind:-0.965
-1 |day sun |shop bar |rain amount:-0.751 wind:0.634
1 1 |day sat |shop bakery |rain amount:0.979 wind:0.731
-1 |day mon |shop bar |rain amount:0.341 wind:-0.597
-1 |day sun |shop bar |rain amount:-0.395 wind:0.736
1 |day sun |shop bakery |rain amount:-0.948 wind:-0.521
-1 1.5 |day mon |shop bar |rain amount:0.905 wind:0.466
-1 |day sat |shop bank |rain amount:0.27 wind:-0.955
-1 |day wed |shop bakery |rain amount:0.147 wind:0.678
1 |day wed |shop bank |rain amount:0.033 wind:0.989
-1 2 |day sun |shop bar |rain amount:0.636 wind:0.757
-1 |day mon |shop bar |rain amount:-0.132 wind:-0.304
-1 |day wed |shop bar |rain amount:-0.997 wind:0.759
-1 |day mon |shop bakery |rain amount:0.9 wind:-0.932
-1 1 |day tue |shop bank |rain amount:-0.157 wind:-0.502
1 |day wed |shop book_shop |rain amount:0.431 wind:0.519
1 |day tue |shop bakery |rain amount:-0.988 wind:-0.396
-1 |day sun |shop bar |rain amount:-0.473 wind:0.469
