/** What a restore can never know, one sentence each (rules/restore.md#what-stays-open). */
export const ALWAYS_UNKNOWN: readonly string[] = [
  'A token that was exchanged after the instant can be exchanged once more until it ends, because its use is in the old table only',
  'Personal keys and identities of users who neither are members of an organization nor joined one are as they were at the instant',
];

/** What only the old table could tell. */
export const UNKNOWN_WITHOUT_TABLE: readonly string[] = [
  'Personal keys that were revoked or rotated after the instant work as at the instant, unless a personal organization logged it',
  'Users are known at the sign-in by what they were known by at the instant. Repeat identify-user for those whom you changed since',
];
