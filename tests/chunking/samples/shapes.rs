//! Shapes and their areas.

use std::collections::HashMap;
use crate::math::{sqrt, Pi};

pub const SIDES: usize = 4;
static mut COUNTER: u32 = 0;

/// A point.
#[derive(Debug, Clone)]
pub struct Point {
    pub x: f64,
    y: f64,
}

struct Unit;

pub enum Shape {
    Circle(f64),
    Square { side: f64 },
}

pub trait Area {
    type Output;
    fn area(&self) -> f64;
    fn describe(&self) -> String {
        String::from("shape")
    }
}

impl Area for Shape {
    type Output = f64;

    // Uses pi.
    fn area(&self) -> f64 {
        match self {
            Shape::Circle(r) => Pi * r * r,
            Shape::Square { side } => side * side,
        }
    }
}

impl<T> Stack<T> {
    const LIMIT: usize = 10;

    #[inline]
    pub fn push(&mut self, value: T) {
        self.items.push(value);
    }
}

macro_rules! square {
    ($x:expr) => {
        $x * $x
    };
}

type Result<T> = std::result::Result<T, Error>;

pub(crate) async fn run() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circle_has_area() {
        assert!(Shape::Circle(1.0).area() > 3.0);
    }
}
