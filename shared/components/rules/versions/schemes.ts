import { VERSION_SCHEMES, type VersionScheme } from '#shared/base/versions/schemes.ts';
import { debianOrder } from './debian.ts';
import { dottedOrder, dottedOrderWithV } from './dotted.ts';
import { mavenOrder } from './maven.ts';
import { nugetOrder } from './nuget.ts';
import type { Order } from './order.ts';
import { pythonOrder } from './python.ts';
import { rpmOrder } from './rpm.ts';
import { rubyOrder } from './ruby.ts';
import { goOrder, semanticOrder } from './semantic.ts';

/** The order of each scheme. */
const ORDERS: ReadonlyMap<string, Order> = new Map(
  Object.entries({
    cargo: semanticOrder,
    composer: dottedOrderWithV,
    deb: debianOrder,
    gem: rubyOrder,
    generic: dottedOrder,
    golang: goOrder,
    hex: semanticOrder,
    maven: mavenOrder,
    npm: semanticOrder,
    nuget: nugetOrder,
    pypi: pythonOrder,
    rpm: rpmOrder,
  } satisfies Record<VersionScheme, Order>),
);

/** The most characters of a version that is compared. */
const LIMIT = 256;

/** The schemes that can be named, in the order of the alphabet. */
export const SCHEMES: readonly string[] = VERSION_SCHEMES;

/** Whether the rules of a scheme can compare a version. */
export function isComparable(scheme: string, version: string): boolean {
  return version.length <= LIMIT && (ORDERS.get(scheme)?.isVersion(version) ?? false);
}

/**
 * Compares two versions by the rules of a scheme (rules/components.md#order-of-versions).
 * @returns -1, 0 or 1; null if there is no such scheme or one of the versions cannot be compared by its rules
 */
export function compareVersions(scheme: string, a: string, b: string): number | null {
  const order = ORDERS.get(scheme);
  if (order === undefined || !isComparable(scheme, a) || !isComparable(scheme, b)) return null;
  return Math.sign(order.compare(a, b));
}
