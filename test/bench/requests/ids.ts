/** Ids that the service made when an organization was filled. Requests name them. */

export const MADE_KINDS = ['attestation', 'evaluation', 'key', 'personal key', 'export'] as const;
export type MadeKind = (typeof MADE_KINDS)[number];

const made = new Map<string, string>();

export const rememberId = (org: string, kind: MadeKind, id: string): void => void made.set(`${org} ${kind}`, id);

/** @throws Error if the organization was filled without it */
export function madeId(org: string, kind: MadeKind): string {
  const id = made.get(`${org} ${kind}`);
  if (id === undefined) throw new Error(`The organization ${org} has no ${kind}`);
  return id;
}
