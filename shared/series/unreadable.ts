import type { Id } from '#shared/base/ids.ts';

/**
 * A record that could not be read. Lists show a placeholder in its place, and the log has the reason
 * (rules/lists.md#unreadable-records).
 */
export interface Unreadable<Kind extends Id = Id> {
  id: Kind;
  unreadable: unknown;
}
