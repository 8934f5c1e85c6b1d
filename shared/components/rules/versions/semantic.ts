import compare from 'semver/functions/compare.js';
import parse from 'semver/functions/parse.js';
import { type Order, orderOf } from './order.ts';

/** Orders of semantic versions (rules/components.md#order-of-versions). What follows `+` does not count. */

/** A number that the library would cut: it computes with numbers of at most 2⁵³, and leaves those of prereleases unchecked. */
const LONG_NUMBER = /(?:^|[.+-])\d{16,}(?=$|[.+-])/;

const semantic = (text: string) => (/^\d[\w.+-]*$/.test(text) && !LONG_NUMBER.test(text) ? parse(text) : null);

/** Semantic versions. A `v` in front does not count. */
export const semanticOrder: Order = orderOf((text) => semantic(text.replace(/^v/, '')), compare);

/**
 * Versions of Go: semantic versions, pseudo-versions and `+incompatible`. `v1` and `v1.2` are `v1.0.0` and `v1.2.0`, and the `v` or
 * the `go` of a toolchain may be missing.
 */
export const goOrder: Order = orderOf((text) => {
  const own = text.replace(/^(?:v|go)/, '');
  return semantic(/^\d+(?:\.\d+)?$/.test(own) ? `${own}${own.includes('.') ? '.0' : '.0.0'}` : own);
}, compare);
