import type { Id } from '#shared/base/ids.ts';

/** A record that could not be read: lists show a placeholder in its place, and the log why (house style 17). */
export interface Unreadable<Kind extends Id = Id> {
  id: Kind;
  unreadable: unknown;
}
