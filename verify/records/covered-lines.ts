import { commitment } from '#shared/base/digests.ts';
import {
  COVERED,
  type CoveredKind,
  type CoveredLine,
  type CoveredName,
  isCovered,
  keyOf,
  lineDigest,
} from '#shared/base/proofs/covered-lines.ts';
import { Gap } from '#shared/expectations/rules/gaps/gap.ts';
import { Fault } from '../fault.ts';
import { Body, openBody } from './bodies.ts';
import { nameOfGap } from './gaps.ts';
import { type Line, linesOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';

/**
 * Verifies the records that entries of the audit log cover (rules/verification.md#covered-records). The audit log was verified
 * before.
 */
export async function verifyCovered(state: ProofState): Promise<void> {
  const families = new Set(Object.keys(COVERED).map((name) => name.split('/', 1)[0] ?? ''));
  for (const family of families) {
    for await (const line of linesOf(state, family)) {
      const name = `${family}/${line.item}`;
      if (isCovered(name)) await verifyLine(state, name, line);
    }
  }
  state.covers.finish();
}

async function verifyLine(state: ProofState, name: CoveredName, { place, record }: Line): Promise<void> {
  // A line is an object, and its bodies became commitments.
  const line = (await withCommitments(state, place, record)) as CoveredLine;
  const require = () => state.covers.require(place, name, keyOf(name, line), lineDigest(name, line));
  const standing = name === 'gaps/gap' ? namingGap(record, require) : require();
  if (!standing) requireFresh(place, line);
  // The rest of a line that is covered in part is verified by others.
  else if (!isPart(name)) state.scope.stands(name, standing);
}

/** A gap is named in words, because its id and its digest say nothing to a reader. */
function namingGap<T>(record: unknown, step: () => T): T {
  try {
    return step();
  } catch (error) {
    const { data: gap } = Gap.safeParse(record);
    if (!(error instanceof Fault) || !gap) throw error;
    throw new Fault(error.place, `${nameOfGap(gap)} is not as it was logged: ${error.message}`, error);
  }
}

function isPart(name: CoveredName): boolean {
  const { only }: CoveredKind = COVERED[name];
  return only !== undefined;
}

/** A flow that a report made has no entry of its own. It has neither a template nor a change. @throws Fault */
function requireFresh(place: string, { template, archived, rev }: CoveredLine): void {
  if (template === null && archived === null && rev === 1) return;
  throw new Fault(place, 'the flow was changed, and no entry of the audit log says so');
}

/** Returns a record with the commitments to its bodies instead of the bodies. @throws Fault if a body is not there */
async function withCommitments(state: ProofState, place: string, value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((part) => withCommitments(state, place, part)));
  if (typeof value !== 'object' || value === null) return value;
  const { data: body } = 'sha256' in value ? Body.safeParse(value) : {};
  if (body && 'sha256' in body) {
    const opened = await openBody(state.files, place, body);
    return { commitment: commitment(Buffer.from(body.salt, 'hex'), opened?.text ?? '').toString('hex') };
  }
  const members = Object.entries(value).map(async ([key, part]) => [key, await withCommitments(state, place, part)]);
  return Object.fromEntries(await Promise.all(members));
}
