import type { Migration } from './migrate-table.ts';

/**
 * The migrations of stored items, in the order of their formats (docs/data-format.md#migrations). The first format has none. A migration
 * stays as long as a table of an earlier format can exist.
 */
export const MIGRATIONS: readonly Migration[] = [];
