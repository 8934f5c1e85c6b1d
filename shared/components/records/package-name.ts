import { hash } from 'node:crypto';
import type { SortKey } from '#shared/table/items.ts';
import type { PackageName } from '../rules/package-name.ts';

/** Longest part of a name in a key, in UTF-16 units. A whole key may have 1024 bytes. */
const LONGEST_NAME = 100;

/**
 * Returns a name as keys have it: lower case, without `#`, cut. Names that differ only in this have different digests behind them.
 */
export const nameInKey = (name: string): string =>
  name.toWellFormed().toLowerCase().replaceAll('#', '%23').slice(0, LONGEST_NAME).toWellFormed();

const DIGITS_OF_NAME = 32;
/** A name as keys have it that compare it whole. */
export const digestInKey = (text: string): string => hash('sha256', text).slice(0, DIGITS_OF_NAME);
const digestOf = ({ package: purl, name }: PackageName): string => digestInKey(purl ?? `name:${name.toLowerCase()}`);

/** The beginning of the sort keys of one package. */
export const postingPrefix = (one: PackageName): string => `${nameInKey(one.name)}#${digestOf(one)}#`;

/** Reads the beginning of the keys of its package out of the sort key of a posting. */
export const readPostingPrefix = (sk: SortKey): string =>
  sk
    .split('#', 2)
    .map((part) => `${part}#`)
    .join('');
