'use strict';

const http = require('http');
const { parse } = require('./parse-url');
import fs, { readFile as read } from 'fs';

const MAX_DEPTH = 8;
let routes = [];

/** Matches a request against every route. */
function match(method, path) {
  const found = routes.filter((r) => r.method === method);
  return found.find((r) => r.path === path);
}

export const listen = async (port) => {
  await http.createServer(handle).listen(port);
};

class Router extends Base {
  static instances = 0;
  #secret = 1;

  constructor(prefix) {
    super();
    this.prefix = prefix;
  }

  get size() {
    return this.routes.length;
  }

  onClick = () => {
    this.count += 1;
  };
}

Router.prototype.use = function (layer) {
  this.stack.push(layer);
};

exports.create = function create(options) {
  return new Router(options.prefix);
};

const handlers = {
  name: 'handlers',
  show(req) {
    return req.id;
  },
  remove: function (req) {
    return null;
  },
  list: (req) => [],
};

export default function main() {
  return match('GET', '/');
}

describe('router', () => {
  it('finds a route', () => {
    expect(match('GET', '/')).toBe(1);
  });
});
