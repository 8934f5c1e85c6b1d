import * as z from 'zod';
import { findingsText, recordText } from '#shared/evidence/rules/record-text.ts';
import { Fault } from '../fault.ts';
import { type Standing, standingAt } from '../scope.ts';
import { StoredBundles } from '../signatures/stored-bundles.ts';
import { Body, Erased, openBody } from './bodies.ts';
import { fitting, Hex32, linesOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';
import { recordKey } from './trail-fold.ts';

const FileLine = z.strictObject({
  filename: z.string(),
  size: z.int(),
  type: z.string(),
  sha256: z.string(),
  commitment: Hex32,
  /** Absent once the file was erased. */
  salt: Hex32.optional(),
  erased: Erased.optional(),
});

/** An attestation or an artifact report. The commitment to the record covers all its other members. */
const RecordLine = z.looseObject({
  item: z.string(),
  id: z.string(),
  fingerprint: z.string().nullish(),
  facts: Body,
  salt: Hex32,
  findingsSalt: Hex32.optional(),
  commitments: z.strictObject({ record: Hex32, facts: Hex32, findings: Hex32.optional() }),
  files: z.array(FileLine).optional(),
  derived: z.record(z.string(), z.unknown()).optional(),
});
type RecordLine = z.infer<typeof RecordLine>;

const FAMILIES = { attestations: 'attestation', artifacts: 'artifact' } as const;

export async function verifyRecords(state: ProofState): Promise<void> {
  const bundles = new StoredBundles(state);
  for (const [family, kind] of Object.entries(FAMILIES)) {
    for await (const { place, item, record } of linesOf(state, family)) {
      if (item !== kind) throw new Fault(place, `a line of ${family} is '${item}'`);
      const line = fitting(place, RecordLine, record);
      state.scope.stands(`${family}/${item}`, await verifyRecord(state, place, line));
      const { id, fingerprint = null, derived, files = [] } = line;
      if (state.isLogged(recordKey(id)) && !isEmptied(line)) state.signed.require(place, id, derived ?? {});
      const { verification } = derived ?? {};
      if (verification === undefined) continue;
      await bundles.verify(place, { id, fingerprint, verification, files }, state.isLogged(recordKey(id)));
    }
  }
}

async function verifyRecord(state: ProofState, place: string, line: RecordLine): Promise<Standing> {
  const { item: _, facts, salt, findingsSalt, commitments, ...shown } = line;
  const pledge = state.pledged(place, recordKey(line.id), commitments.facts);
  // Without a moment, the record was written after the moments had been read.
  const expected = pledge?.commitment ?? commitments.record;
  const index = pledge?.index;
  state.open(place, 'record', { salt, text: recordText(shown, commitments) }, expected);
  if (commitments.record !== expected)
    throw new Fault(place, "the line has another commitment 'record' than its entry");
  const standings = [
    await verifyFacts(state, place, line, index),
    verifyFindings(state, place, line, index),
    ...(line.files ?? []).map((file, n) => verifyFile(state, place, file, { index, name: `file:${n}` })),
  ];
  if (!pledge) return 'later';
  return standings.find((standing) => standing !== 'proved') ?? 'proved';
}

/** Whether an erasure removed what the service found in the record. */
const isEmptied = ({ findingsSalt, commitments: { findings } }: RecordLine): boolean =>
  findings !== undefined && findingsSalt === undefined;

async function verifyFacts(
  state: ProofState,
  place: string,
  { facts, commitments }: RecordLine,
  index: number | undefined,
): Promise<Standing> {
  const opened = await openBody(state.files, place, facts);
  if (!opened) return state.erased(place, index, 'facts');
  state.open(place, 'facts', opened, commitments.facts);
  return standingAt(index);
}

function verifyFindings(
  state: ProofState,
  place: string,
  { derived = {}, findingsSalt: salt, commitments: { findings } }: RecordLine,
  index: number | undefined,
): Standing {
  const text = findingsText(derived);
  if (text === undefined && findings === undefined && salt === undefined) return standingAt(index);
  if (text === undefined && salt === undefined) return state.erased(place, index, 'findings');
  if (salt === undefined || text === undefined)
    throw new Fault(place, 'what rules found has a text or a salt, and not both');
  state.open(place, 'findings', { salt, text }, findings);
  return standingAt(index);
}

/** Verifies that the export has a file of an attestation, with the digest that the log proves. */
function verifyFile(
  state: ProofState,
  place: string,
  { filename, size, sha256, salt, commitment, erased }: z.infer<typeof FileLine>,
  { index, name }: { index: number | undefined; name: string },
): Standing {
  if (salt === undefined) {
    if (sha256 !== '' || !erased) throw new Fault(place, `file ${filename} has no salt and was not erased`);
    return state.erased(place, index, name);
  }
  if (erased) throw new Fault(place, `file ${filename} is marked as erased, and its digest is there`);
  state.open(place, name, { salt, text: sha256 }, commitment);
  const path = `data/files/${sha256}`;
  const stored = state.files.facts.get(path);
  if (!stored) throw new Fault(path, `the file is missing: ${place} names it as ${filename}`);
  if (stored.size !== size) throw new Fault(path, `the file has ${stored.size} bytes, ${place} says ${size}`);
  return standingAt(index);
}
