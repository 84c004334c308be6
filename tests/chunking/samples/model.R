# Fits a line.
library(stats)
source("util.R")

LIMIT <- 10

#' Fit a line
#' @param x numbers
fit_line <- function(x, y = NULL) {
  model <- lm(y ~ x)
  if (is.null(y)) {
    stop("no y {")
  }
  model
}

scale_by = function(x, k) x * k

print.fit <- function(x, ...) {
  inner <- function(a) a + 1
  cat("fit\n")
}

setClass("Point", representation(x = "numeric"))

setGeneric("area", function(shape) standardGeneric("area"))

plot(fit_line(1:10, 1:10))
