import * as z from 'zod';
import { fromSeconds, secondsOrNull } from '#shared/base/time.ts';
import { acrossFields } from '#shared/base/validation.ts';
import type { Unreadable } from '#shared/signers/read-signers.ts';
import type { RecallRecord, RecallTarget } from '#shared/signers/rules/recall-records.ts';
import { SignerName } from '#shared/signers/rules/records.ts';
import { unreadableOut, VERSION_FIELDS, versionOut } from '../version-forms.ts';

/** Requests and answers about recalls (rules/verified-evidence.md#recalls). */

/** Bundles that one recall names, so that a record stays small. */
const MOST_BUNDLES = 100;
/** The latest second that fits an instant: the end of the year 9999. */
const LAST_SECOND = 253_402_300_799;

const ABOUT = {
  signer: 'Name of a signer: everything that was verified as its signature',
  run: 'Address of a run, as the claim `run_invocation_uri` has it',
  builder: 'Id of a builder, as a provenance names it',
  root: 'A trust root, or one version of it: everything that was verified by it',
  key: 'SHA-256 of a public key',
  bundles: 'SHA-256 of the texts of bundles',
  from: 'First second of the signatures that are recalled; null = since ever',
  until: 'End of the signatures that are recalled, which is not recalled itself; null = for ever',
  reason: 'Why, for people',
};
const WHATS = ['signer', 'run', 'builder', 'root', 'key', 'bundles'] as const;

const Digest = z.string().regex(/^[0-9a-f]{64}$/);
const Text = z.string().min(1).max(2048);
const Seconds = z.number().min(0).max(LAST_SECOND);

export const RecallRequest = z
  .strictObject({
    signer: SignerName.nullish().describe(ABOUT.signer),
    run: Text.nullish().describe(ABOUT.run),
    builder: Text.nullish().describe(ABOUT.builder),
    root: z
      .strictObject({
        name: SignerName.describe('Name of the trust root'),
        version: z.int().min(1).nullish().describe('Number of the version; null = every version'),
      })
      .nullish()
      .meta({ description: ABOUT.root }),
    key: Digest.nullish().describe(ABOUT.key),
    bundles: z.array(Digest).min(1).max(MOST_BUNDLES).nullish().describe(ABOUT.bundles),
    from: Seconds.nullish().describe(ABOUT.from),
    until: Seconds.nullish().describe(ABOUT.until),
    reason: z.string().min(1).max(4096).describe(ABOUT.reason),
  })
  .check(
    acrossFields(({ from, until, ...fields }, refuse) => {
      const given = WHATS.filter((what) => fields[what] != null);
      if (given.length === 0) refuse('signer', `Say what is recalled: one of ${WHATS.join(', ')}`);
      for (const what of given.slice(1)) refuse(what, `Only one of ${WHATS.join(', ')} is possible`);
      if (typeof from === 'number' && typeof until === 'number' && until <= from) {
        refuse('until', 'The end should be after the beginning');
      }
    }),
  )
  .meta({ id: 'RecallRequest' });

/** What a valid request recalls. */
export function recallOf(body: z.output<typeof RecallRequest>) {
  return {
    target: targetOf(body),
    from: body.from == null ? null : fromSeconds(body.from),
    until: body.until == null ? null : fromSeconds(body.until),
    reason: body.reason,
  };
}

/** @throws Error if the request names nothing, which the schema refuses */
function targetOf({ signer, run, builder, root, key, bundles }: z.output<typeof RecallRequest>): RecallTarget {
  if (signer != null) return { kind: 'signer', signer };
  if (run != null) return { kind: 'run', run };
  if (builder != null) return { kind: 'builder', builder };
  if (root != null) return { kind: 'root', name: root.name, version: root.version ?? null };
  if (key != null) return { kind: 'key', digest: key };
  if (bundles != null) return { kind: 'bundles', digests: [...new Set(bundles)].toSorted() };
  throw new Error('a recall of nothing passed');
}

const WhatOut = {
  signer: z.string().nullable().describe(ABOUT.signer),
  run: z.string().nullable().describe(ABOUT.run),
  builder: z.string().nullable().describe(ABOUT.builder),
  root: z
    .object({
      name: z.string().describe('Name of the trust root'),
      version: z.int().nullable().describe('Number of the version; null = every version'),
    })
    .nullable()
    .meta({ description: ABOUT.root }),
  key: z.string().nullable().describe(ABOUT.key),
  bundles: z.array(z.string()).nullable().describe(ABOUT.bundles),
};

/** A recall, or one of its versions, in answers. */
export const RecallOut = z
  .object({
    name: z.string().describe('Name of the recall'),
    ...WhatOut,
    from: z.number().nullable().describe(ABOUT.from),
    until: z.number().nullable().describe(ABOUT.until),
    reason: z.string().describe(ABOUT.reason),
    ...VERSION_FIELDS,
  })
  .meta({ id: 'Recall' });
export type RecallOut = z.input<typeof RecallOut>;

const NOTHING = { signer: null, run: null, builder: null, root: null, key: null, bundles: null };

function whatOut(target: RecallTarget): Pick<RecallOut, keyof typeof WhatOut> {
  switch (target.kind) {
    case 'signer':
      return { ...NOTHING, signer: target.signer };
    case 'run':
      return { ...NOTHING, run: target.run };
    case 'builder':
      return { ...NOTHING, builder: target.builder };
    case 'root':
      return { ...NOTHING, root: { name: target.name, version: target.version } };
    case 'key':
      return { ...NOTHING, key: target.digest };
    case 'bundles':
      return { ...NOTHING, bundles: target.digests };
  }
}

export const recallOut = (one: RecallRecord): RecallOut => ({
  name: one.name,
  ...whatOut(one.target),
  from: secondsOrNull(one.from),
  until: secondsOrNull(one.until),
  reason: one.reason,
  ...versionOut(one),
});

export const unreadableRecall = (one: Unreadable): RecallOut => ({
  ...NOTHING,
  from: null,
  until: null,
  reason: '',
  ...unreadableOut(one),
});
