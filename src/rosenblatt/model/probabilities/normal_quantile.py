"""The quantile of the normal distribution behind every 95% interval."""

Z = 1.959963984540054  # 95% of a normal distribution lie within Z standard deviations
