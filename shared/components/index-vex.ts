import type { AttestationVex } from '#shared/evidence/records/attestation-components.ts';
import type { AttestationRecord } from '#shared/evidence/records/attestation-records.ts';
import { verificationOf } from '#shared/evidence/rules/verification.ts';
import { ERASED_VEX, forgetVex } from './forget-vex.ts';
import { type IndexContext, type IndexWork, writeSteps } from './index-steps.ts';
import type { AttachedVex } from './read-attached.ts';
import type { Sbom } from './records/sboms.ts';
import { type VexSource, vexItems } from './records/vex.ts';
import { MOST_ENTRIES, vexEntries } from './rules/vex-entries.ts';

/** The name of the items of statements in places of the worker. No set has it. */
const VEX = 'vex';

const TOO_MANY = `The document says more than ${MOST_ENTRIES} things: one for each statement, product, and part or vulnerability`;

const unreadable = (why: string): AttestationVex => ({ state: 'unreadable', count: null, leftOut: null, why });

/**
 * Adds the statements of an attestation to the index (rules/components.md#said-not-to-be-affected).
 *
 * @param scoped what the moment of the report says
 * @returns what the attestation says of its OpenVEX, undefined without any; `later` if the rest was handed over
 */
export async function indexVex(
  context: IndexContext,
  work: IndexWork,
  record: AttestationRecord,
  { scopes, proof }: Pick<Sbom, 'scopes' | 'proof'>,
  attached: AttachedVex,
): Promise<AttestationVex | undefined | 'later'> {
  const { table } = context;
  switch (attached.state) {
    case 'none':
      return undefined;
    case 'unreadable':
      return unreadable(attached.why);
    case 'erased':
      // A worker that was stopped before the erasure may have left a part of the statements.
      await forgetVex(table, work.org, record);
      return ERASED_VEX;
    case 'read': {
      const { statements, leftOut } = attached.read;
      const entries = vexEntries(statements, scopes);
      if (entries === null) return unreadable(TOO_MANY);
      const { id, flow, trail, at, by } = record;
      const { grade } = verificationOf(record);
      const source: VexSource = { id, flow, trail, at, by, grade, scopes, ...(proof && { proof }) };
      const items = vexItems(work.org, source, entries);
      // First, so that an erasure finds each statement that was written.
      if (work.place?.set !== VEX) await table.putMany(items.places);
      const written = await writeSteps(context, work, VEX, items.statements);
      return written === 'later' ? written : { state: 'read', count: statements.length, leftOut, why: null };
    }
  }
}
