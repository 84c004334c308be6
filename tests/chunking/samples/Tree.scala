package com.example.tree

import scala.collection.mutable.{Map => MMap, Set}
import cats.syntax.all._

/** A tree. */
sealed trait Tree[+A] {
  def size: Int
  def depth(limit: Int): Int = {
    limit + 1
  }
}

case class Node[A](left: Tree[A], value: A) extends Tree[A] {
  val cached = 1
  override def size: Int = left.size + 1
}

case object Leaf extends Tree[Nothing] {
  def size = 0
}

object Tree {
  type Pair[A] = (A, A)
  private val Empty = Leaf
  implicit class Ops[A](tree: Tree[A]) {
    def twice: Int = tree.size * 2
  }

  @tailrec
  def build[A](items: List[A]): Tree[A] = items match {
    case Nil => Leaf
    case _ => Leaf
  }
}

enum Color {
  case Red, Green
}

given ordering: Ordering[Int] with {
  def compare(a: Int, b: Int): Int = a - b
}

extension (text: String) {
  def shout: String = text.toUpperCase
}
