import { createHmac, hash } from 'node:crypto';
import { type FlowId, storedId, type TrailId } from '#shared/base/ids.ts';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { recordText } from '#shared/evidence/rules/record-text.ts';
import type { SlotChange } from '#shared/evidence/rules/trail-state.ts';
import { testId } from '#test/support/ids.ts';
import { type Growing, org, salt } from './sample-log.ts';

/** The trails of a small export: their moments, their attestations and their lines. */

export const flow = testId<FlowId>('web');
/** A trail of an export, with what its attestation says. */
export interface SampleTrail {
  trail: TrailId;
  name: string;
  review: string;
  facts: string;
}
export const environment = testId('prod');

export type Json = Record<string, unknown>;

export const AT = 1_795_000_000_000_000;

export const pledge = (name: string, text: string): string =>
  createHmac('sha256', Buffer.from(salt(name), 'hex'))
    .update(text)
    .digest('hex');
const bodyOf = (name: string, text: string): Json => ({
  sha256: hash('sha256', text),
  salt: salt(name),
  size: Buffer.byteLength(text),
});
export const inline = (name: string, text: string): Json => ({ ...bodyOf(name, text), text });

export const TEMPLATE = 'version: 1\ntrail:\n  attestations:\n    - name: review\n      type: generic\n';
export const LONG = 'a long text '.repeat(1000);

/** The text that the log proves of the attestation of a trail, and its line. */
function sealedReview({ name: trail, review, facts: text }: SampleTrail): {
  commitments: Record<string, string>;
  line: Json;
} {
  const file = hash('sha256', 'attached');
  const shown = {
    ...{ id: review, flow, trail, name: 'review', type: 'generic', compliant: true },
    ...{ fingerprint: null, targets: [], at: AT + 2, number: 2, by: 'ann', derived: {} },
    files: [{ filename: 'log.txt', size: 8, type: 'text/plain', sha256: file, commitment: pledge('file', file) }],
  };
  const facts = pledge('facts', text);
  const commitments = { record: pledge('record', recordText(shown, { facts })), facts };
  const files = shown.files.map((one) => ({ ...one, salt: salt('file') }));
  const isLong = text.length > 1000;
  const body = isLong
    ? { ...bodyOf('facts', text), file: `data/bodies/${hash('sha256', text)}` }
    : inline('facts', text);
  return {
    commitments,
    line: { item: 'attestation', ...shown, files, facts: body, salt: salt('record'), commitments },
  };
}

const FIELDS = '{"description":"first"}';
const COMMIT = '{"sha1":"abc"}';
const REPO = { inner_id: testId('repo'), name: 'web' };
const commitDigest = hash('sha256', COMMIT).slice(0, 32);

function momentsOf(growing: Growing, of: SampleTrail): Json[] {
  const { trail, name } = of;
  const template = hash('sha256', TEMPLATE);
  const fields = hash('sha256', FIELDS);
  const review: SlotChange = {
    ...{ kind: 'attestation', scope: { kind: 'trail' }, name: 'review', type: 'generic', id: storedId(of.review) },
    ...{ compliant: true, overridden: null },
  };
  const drafts: {
    kind: string;
    changes: unknown[];
    word: string;
    attestations: number;
    record?: string;
    isErased?: boolean;
    more?: Json;
    texts: Record<string, string>;
  }[] = [
    {
      ...{
        kind: 'trail_reported',
        changes: [{ kind: 'repo', id: REPO.inner_id }],
        word: 'INCOMPLETE',
        attestations: 0,
      },
      ...{ more: { commit: commitDigest, repo: REPO.inner_id }, texts: { fields: pledge('fields', FIELDS) } },
    },
    {
      ...{ kind: 'trail_attestation_reported', changes: [review], word: 'COMPLIANT', attestations: 1 },
      ...{ record: of.review, texts: sealedReview(of).commitments },
    },
    { kind: 'trail_updated', changes: [], word: 'COMPLIANT', attestations: 1, isErased: true, texts: {} },
  ];
  return drafts.map(({ kind, changes, word, attestations, record, isErased, texts, more }, i) => {
    const number = i + 1;
    const body = canonicalJson({
      ...{ changes, template, ownTemplate: null, word, attestations },
      ...{ names: { flow: 'shop', trail: name }, by: { id: testId('ann') } },
      ...(number === 1 && { repoDigest: hash('sha256', canonicalJson(REPO)) }),
    });
    const details = canonicalJson({ by: { name: 'ann' }, fields, ...more });
    const commitments = {
      moment: pledge(`moment ${number}`, body),
      details: pledge(`details ${number}`, details),
      ...texts,
    };
    const facts = { number, kind, at: AT + number, ...(record !== undefined && { record }), commitments };
    const link = growing.link('delivery-evidence/trail', { org, subject: { flow, trail }, ...facts });
    const kept = isErased ? { erased: { at: AT, reason: 'a secret' } } : { detailsSalt: salt(`details ${number}`) };
    const own = { body, salt: salt(`moment ${number}`), details, ...kept };
    return { item: 'moment', flow, trail, name, ...facts, ...own, ...link };
  });
}

/** The lines of a trail, as its moments give them. */
const trailLinesOf = ({ trail, name }: SampleTrail, moments: readonly Json[]): Json[] => {
  const at = { flow, trail_name: name };
  const named = { template: hash('sha256', TEMPLATE), ownTemplate: null, fields: hash('sha256', FIELDS) };
  return [
    {
      ...{ item: 'trail', ...at, id: trail, name, number: 3, at: AT + 3, hash: moments[2]?.['hash'] },
      ...{ word: 'COMPLIANT', ...named, templateAt: AT + 1, commit: commitDigest, created: AT + 1, by: 'ann' },
      ...{ slots: 2, attestations: 1 },
    },
    { item: 'fields', ...at, number: 1, digest: named.fields, body: inline('fields', FIELDS) },
    { item: 'commit', ...at, digest: commitDigest, body: namedBody(COMMIT) },
    { item: 'repo', ...at, n: 1, repo: REPO },
  ];
};

/** Appends the moments of a trail. @returns them, and the lines of other families that belong to them */
export function linesOfTrail(growing: Growing, of: SampleTrail) {
  const moments = momentsOf(growing, of);
  return { moments, attestation: sealedReview(of).line, trails: trailLinesOf(of, moments) };
}

/** A body without a salt: another record names it by its SHA-256. */
export const namedBody = (text: string): Json => ({
  sha256: hash('sha256', text),
  size: Buffer.byteLength(text),
  text,
});
