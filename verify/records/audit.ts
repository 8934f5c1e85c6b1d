import * as z from 'zod';
import { Cover, Removed } from '#shared/base/proofs/covers.ts';
import { FIRST_PREVIOUS } from '#shared/base/proofs/hash-chain.ts';
import { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import { entryText, valuesText } from '#shared/organizations/rules/audit-text.ts';
import { Fault } from '../fault.ts';
import { Hex32, LogIndex, recordsOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';

const AuditLine = z.strictObject({
  item: z.literal('audit'),
  v: z.literal(1),
  id: z.string(),
  at: z.int(),
  actor: z.strictObject({
    kind: z.string(),
    id: z.string(),
    name: z.string(),
    keyId: z.string().nullable(),
    identity: VerifiedIdentity.optional(),
  }),
  kind: z.string(),
  subject: z.strictObject({ type: z.string(), id: z.string().nullable(), name: z.string() }),
  before: z.unknown(),
  after: z.unknown(),
  covers: z.array(z.strictObject(Cover.shape)).optional(),
  removed: Removed.optional(),
  salts: z.strictObject({ entry: Hex32, values: Hex32.optional() }),
  commitments: z.strictObject({ entry: Hex32, values: Hex32 }),
  erased: z.unknown().optional(),
  hash: z.string(),
  log_index: LogIndex,
});
type AuditLine = z.infer<typeof AuditLine>;

const ITEM = 'audit/audit';
const NO_PREVIOUS = Buffer.from(FIRST_PREVIOUS).toString('hex');
const ERASED = 'evidence.erased';
const LEAVING = 'environment.references_removed';

interface Emptied {
  place: string;
  hash: string;
  isLogged: boolean;
}

/**
 * Verifies the audit log (rules/verification.md#audit-log), and notes the erasures and the records that its entries name.
 */
export async function verifyAudit(state: ProofState): Promise<void> {
  const emptied: Emptied[] = [];
  for await (const [place, line] of recordsOf(state, 'audit', AuditLine)) {
    const isLogged = verifyEntry(state, place, line);
    if (line.removed) {
      if (line.kind !== ERASED) throw new Fault(place, `an entry of the kind ${line.kind} erases nothing`);
      state.removals.add(line.removed, isLogged);
    }
    if (line.kind === LEAVING && line.subject.id !== null) state.leaving.add(line.subject.id);
    for (const cover of line.covers ?? []) state.covers.add(place, cover, isLogged);
    if (hasValues(state, place, line)) state.scope.stands(ITEM, isLogged ? 'proved' : 'later');
    else emptied.push({ place, hash: line.hash, isLogged });
  }
  // An erasure can stand before the entry that it erased, because entries of the same microsecond have random ids.
  for (const { place, hash, isLogged } of emptied) {
    const standing = state.removals.require(place, hash, 'values');
    state.scope.stands(ITEM, isLogged ? standing : 'later');
  }
}

/** Verifies the entry in the log and what no erasure removes. @returns whether the log of the export has the entry */
function verifyEntry(state: ProofState, place: string, line: AuditLine): boolean {
  const { id, at, kind, commitments, salts, hash } = line;
  state.open(place, 'entry', { salt: salts.entry, text: entryText(line) }, commitments.entry);
  const index = state.link({
    place,
    subject: { kind: 'audit', entry: id },
    domain: 'delivery-evidence/audit',
    header: { subject: { entry: id }, number: 0, kind, at, commitments },
    previous: NO_PREVIOUS,
    hash,
    index: line.log_index,
  });
  return index !== undefined;
}

/** Verifies the values of an entry. @returns false if they are gone */
function hasValues(state: ProofState, place: string, line: AuditLine): boolean {
  const { salts, commitments, before, after, erased } = line;
  if (salts.values === undefined) {
    if (before !== null || after !== null) throw new Fault(place, 'the values of the entry have no salt');
    state.counts.erased += 1;
    return false;
  }
  if (erased !== undefined) throw new Fault(place, 'the entry is marked as erased, and its values are there');
  state.open(place, 'values', { salt: salts.values, text: valuesText({ before, after }) }, commitments.values);
  return true;
}
