library shop;

import 'package:flutter/material.dart';
import 'dart:io' as io;

const int maxItems = 3;
final List<String> names = [];

/// A card.
@immutable
class Card extends StatelessWidget {
  final String title;
  static const double width = 10;

  const Card(this.title);

  Card.empty() : title = '';

  factory Card.fromJson(Map json) {
    return Card(json['title']);
  }

  @override
  Widget build(BuildContext context) {
    return Text(title);
  }

  int get length => title.length;

  set name(String value) {
    print(value);
  }
}

mixin Scrolls on Card {
  void scroll() {}
}

extension Shout on String {
  String shout() => toUpperCase();
}

enum Color { red, green }

typedef Callback = void Function(int);

void main() {
  print('hi');
}
