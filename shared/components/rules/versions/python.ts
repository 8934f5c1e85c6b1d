import { compare, parse } from '@renovatebot/pep440';
import type { Order } from './order.ts';

/** The order of versions of Python packages, PEP 440 (rules/components.md#order-of-versions). */
export const pythonOrder: Order = {
  isVersion: (text) => !/\d{16}/.test(text) && !hasOtherNumber(text) && parse(text) !== null,
  compare,
};

/** The library takes parts of a local version such as `1e5` and `0x1f` for numbers. By PEP 440 they are words. */
const hasOtherNumber = (text: string): boolean =>
  (text.split('+')[1] ?? '').split(/[-_.]/).some((part) => !/^\d*$/.test(part) && !Number.isNaN(Number(part)));
