import { Observable } from 'rxjs';
import type { Config } from './config';

export interface Reader<T> {
  readonly size: number;
  read(id: string): Promise<T>;
}

export type Key = string | number;

export enum Level {
  Low = 1,
  High,
}

declare module 'plugin' {
  export function register(name: string): void;
}

namespace Cache {
  export const ttl = 60;
}

/**
 * Keeps values in memory.
 */
@Injectable()
export abstract class Store<T> implements Reader<T> {
  private items = new Map<string, T>();
  static shared: Store<unknown>;

  constructor(private readonly config: Config) {}

  abstract flush(): void;

  async read(id: string): Promise<T> {
    return this.items.get(id)!;
  }

  @Input()
  set name(value: string) {
    this._name = value;
  }
}

export function open(url: string): Store<string>;
export function open(url: string, mode?: string): Store<string> {
  return new MemoryStore(url);
}

export const useStore = <T,>(key: Key): T => {
  return lookup(key);
};

abstract class Hidden {
  protected abstract go(): void;
}
