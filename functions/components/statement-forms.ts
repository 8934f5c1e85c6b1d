import * as z from 'zod';
import type { FlowId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { Said } from '#shared/components/rules/said.ts';
import { VEX_STATUSES } from '#shared/components/rules/vex.ts';
import { GRADES } from '#shared/evidence/rules/verification.ts';
import { trailUrl } from '#shared/evidence/trail-output.ts';
import type { Place } from './component-forms.ts';

/** Statements that a row of an answer shows. */
export const MOST_STATEMENTS = 20;

export const StatementOut = z
  .object({
    vulnerability: z.string().describe('Name of the vulnerability'),
    aliases: z.array(z.string()).describe('Its other names'),
    status: z.enum(VEX_STATUSES).describe('What was said'),
    justification: z
      .string()
      .nullable()
      .describe('Why it is not affected: a word of OpenVEX or a sentence; null if the statement gives no reason'),
    part: z.string().nullable().describe('Package URL of the part that was named; null for the whole artifact'),
    stated_at: z
      .number()
      .nullable()
      .describe('When it was said as the document has it, in seconds since the epoch; null if it does not say it'),
    reported_at: z.number().describe('When the attestation was reported, in seconds since the epoch'),
    reported_by: z.string().describe('Who reported the attestation'),
    grade: z.enum(GRADES).describe('Grade of the attestation'),
    signer: z.string().nullable().describe('Name of the signer whose signature was verified; null if none was'),
    attestation_id: z.string().describe('Id of the attestation'),
    flow_name: z.string().describe('Name of its flow'),
    trail_name: z.string().describe('Name of its trail'),
    html_url: z.string().describe('Address of a page of the trail, for people'),
  })
  .meta({ id: 'ExposureStatement' });

/** Returns what a row shows of the statements about it. @param flowNames present names of their flows */
export const statementsOut = (
  statements: readonly Said[],
  flowNames: ReadonlyMap<FlowId, string>,
  place: Place,
): { statements: z.input<typeof StatementOut>[]; statement_count: number } => ({
  statements: statements
    .slice(0, MOST_STATEMENTS)
    .map((said) => statementOut(said, flowNames.get(said.flow) ?? '', place)),
  statement_count: statements.length,
});

function statementOut(said: Said, flowName: string, { host, org }: Place): z.input<typeof StatementOut> {
  const { vulnerabilities, status, justification, part, statedAt, at, by, grade, signer, attestation, trail } = said;
  const [vulnerability = '', ...aliases] = vulnerabilities;
  return {
    vulnerability,
    aliases,
    status,
    justification,
    part,
    stated_at: statedAt,
    reported_at: toSeconds(at),
    reported_by: by,
    grade,
    signer,
    attestation_id: attestation,
    flow_name: flowName,
    trail_name: trail,
    html_url: trailUrl(host, org, flowName, trail),
  };
}
