import type { KeyObject } from 'node:crypto';
import type { OwnRoot } from '#test/shared/signatures/own-root.ts';
import { own, publicPem } from '#test/shared/signatures/own-trust.ts';
import { statement } from '#test/shared/signatures/sample-bundles.ts';

/** The form of cases of the own suite, and parts of trust roots. */

/** A case: its folder, what lies in it beside the trust root, and for one that must fail the sentence of the refusal. */
export interface OwnCase {
  readonly name: string;
  readonly files: Readonly<Record<string, unknown>>;
  readonly sentence?: string | RegExp;
}

const BUNDLE = 'bundle.sigstore.json';

export const accepted = (name: string, made: unknown, files: Readonly<Record<string, unknown>> = {}): OwnCase => ({
  name,
  files: { [BUNDLE]: made, ...files },
});

export const refused = (
  name: string,
  made: unknown,
  sentence: string | RegExp,
  files: Readonly<Record<string, unknown>> = {},
): OwnCase => ({ name: `${name}_fail`, files: { [BUNDLE]: made, ...files }, sentence });

export const root = (json: Readonly<Record<string, unknown>>) => ({ 'trusted_root.json': json });
export const keyFile = (key: KeyObject) => ({ 'key.pub': publicPem(key) });
export const about = (fields: Readonly<Record<string, unknown>>) => ({ payload: JSON.stringify(statement(fields)) });

type Part = 'tlogs' | 'ctlogs' | 'certificateAuthorities' | 'timestampAuthorities';
type Json = Record<string, unknown>;

/** The members of an instance, as its root lists them. */
export const partOf = (instance: OwnRoot, part: Part): Json[] => {
  const all = instance.json()[part];
  // Each part of a root that is made here is a list of objects.
  return all as Json[];
};

/** The own root in which one part was valid only in this period. */
export function validOnly(part: Part, validFor: { start: string; end?: string }) {
  const [one = {}] = partOf(own, part);
  const isLog = part === 'tlogs' || part === 'ctlogs';
  const changed = isLog ? { ...one, publicKey: { ...Object(one['publicKey']), validFor } } : { ...one, validFor };
  return root(own.json({ [part]: [changed] }));
}

export const BEFORE = { start: '2020-01-01T00:00:00Z', end: '2021-01-01T00:00:00Z' };
export const LATER = { start: '2026-01-01T00:00:00Z' };
