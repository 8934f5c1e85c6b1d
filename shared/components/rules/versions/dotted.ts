import { compareDigits, compareLists, type Order, orderOf } from './order.ts';

/**
 * The order of dotted numbers, such as `1.10.2` (rules/components.md#order-of-versions). Numbers that are missing at the end are 0.
 * Anything else cannot be compared.
 */
export const dottedOrder: Order = orderOf(
  (text) => (/^\d+(?:\.\d+)*$/.test(text) ? text.split('.') : null),
  (a, b) => compareLists(a, b, compareDigits, ''),
);

/** Like {@link dottedOrder}, with a `v` in front that does not count. */
export const dottedOrderWithV: Order = {
  isVersion: (text) => dottedOrder.isVersion(withoutV(text)),
  compare: (a, b) => dottedOrder.compare(withoutV(a), withoutV(b)),
};

const withoutV = (text: string): string => text.replace(/^v/i, '');
