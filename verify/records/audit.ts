import * as z from 'zod';
import { commitment } from '#shared/base/digests.ts';
import { VerifiedIdentity } from '#shared/base/verified-identity.ts';
import { FIRST_PREVIOUS } from '#shared/evidence/rules/hash-chain.ts';
import { auditText } from '#shared/organizations/rules/audit-text.ts';
import { Fault } from '../fault.ts';
import { fitting, Hex32, LogIndex, linesOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';

const AuditLine = z.object({
  id: z.string(),
  at: z.int(),
  actor: z.object({
    kind: z.string(),
    id: z.string(),
    name: z.string(),
    keyId: z.string().nullable(),
    identity: VerifiedIdentity.optional(),
  }),
  kind: z.string(),
  subject: z.object({ type: z.string(), id: z.string().nullable(), name: z.string() }),
  before: z.unknown(),
  after: z.unknown(),
  /** Absent in entries of earlier releases, and once the texts were erased. */
  salt: Hex32.optional(),
  /** The commitment itself, once the texts were erased. */
  pledge: Hex32.optional(),
  erased: z.unknown().optional(),
  log_index: LogIndex,
});

const NO_PREVIOUS = Buffer.from(FIRST_PREVIOUS).toString('hex');

/** Verifies the audit log. The commitment of an entry follows from its line. @throws Fault */
export async function verifyAudit(state: ProofState): Promise<void> {
  for await (const { place, record } of linesOf(state, 'audit')) {
    const line = fitting(place, AuditLine, record);
    const { id, at, kind, salt, pledge } = line;
    const opened =
      salt === undefined ? undefined : commitment(Buffer.from(salt, 'hex'), auditText(line)).toString('hex');
    const entry = pledge ?? opened;
    if (entry === undefined) {
      if (line.log_index !== undefined) throw new Fault(place, 'the line has neither a salt nor a commitment');
      state.counts['not covered by the log'] += 1;
      continue;
    }
    if (pledge !== undefined && line.erased === undefined)
      throw new Fault(place, 'the entry has no salt and was not erased');
    state.link({
      place,
      subject: { kind: 'audit', entry: id },
      domain: 'delivery-evidence/audit',
      header: { subject: { entry: id }, number: 0, kind, at, commitments: { entry } },
      previous: NO_PREVIOUS,
      index: line.log_index,
    });
    state.counts[opened === undefined ? 'erased' : 'openings'] += 1;
  }
}
