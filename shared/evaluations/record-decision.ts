import type { AttestationId, OrganizationId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { FilePart } from '#shared/bodies/file-part.ts';
import { decisionBinding } from '#shared/controls/decision-binding.ts';
import type { EvaluationResult } from '#shared/engines/policy-engine.ts';
import type { DecidingLine } from '#shared/evaluations/deciding-line.ts';
import {
  type DecisionOrder,
  decisionIdOf,
  type EvaluationRecord,
  REPORT_FILE,
} from '#shared/evaluations/records/evaluations.ts';
import { readPolicy } from '#shared/evaluations/run-policy.ts';
import { type AttestingServices, planAttestation } from '#shared/evidence/record-attestation.ts';
import { commitToTrail } from '#shared/evidence/records/trail-commit.ts';
import { commitOfReporter, type Refusal } from '#shared/evidence/reporting.ts';
import {
  ATTESTATION_KINDS,
  type AttestationKind,
  type CommonReport,
} from '#shared/evidence/rules/attestation-kinds.ts';
import type { Write } from '#shared/table/table.ts';

interface DecisionToRecord {
  order: DecisionOrder;
  result: EvaluationResult;
  deniedAt: DecidingLine | null;
  proof: EvaluationRecord['proof'];
}

/**
 * Records the outcome of an evaluation as a decision, with policy and report as attachments
 * (rules/evaluations.md#recording). The id of the decision derives from the evaluation, so a repeated call records nothing
 * twice.
 *
 * @param alongside returns further writes of the same transaction; called for each attempt
 * @returns `seen` if the decision is recorded already, or the outcome of a refused write of `alongside`
 * @throws Error if the policy was erased
 */
export async function recordDecision<R = never>(
  services: AttestingServices,
  org: OrganizationId,
  record: EvaluationRecord,
  { order, result, deniedAt, proof }: DecisionToRecord,
  alongside: (decision: AttestationId) => Write<R>[],
): Promise<'done' | 'seen' | R> {
  const id = decisionIdOf(record);
  const data = {
    attestation_name: order.name,
    type_name: 'decision',
    control: order.control,
    attestation_data: { is_compliant: result.allow },
    user_data: {
      evaluation_id: record.id,
      violations: result.violations,
      ...(deniedAt && { denied_at: deniedAt }),
    },
    ...(order.fingerprint !== null && { artifact_fingerprint: order.fingerprint }),
  };
  const { requested, recorded } = record;
  const report = { id: record.id, requested_at: toSeconds(requested), recorded_at: toSeconds(recorded), result, proof };
  const { policy } = await readPolicy(services, org, record);
  const reporter = {
    org: {
      id: org,
      name: record.org,
      kind: 'shared' as const,
      features: ['controls' as const, 'evaluations' as const],
    },
    caller: record.by,
  };
  // Every kind is used through the general type, whose schema reads the data as a report.
  const kind = ATTESTATION_KINDS.decision as AttestationKind;
  const reported = {
    kind,
    id,
    known: { observed: true as const },
    bodyText: JSON.stringify(data),
    // Each kind's schema reads the fields that all reports have.
    body: kind.schema.parse(data) as CommonReport,
    files: [
      jsonFile('attachment_file.0', 'policy.json', policy),
      jsonFile('attachment_file.1', REPORT_FILE, JSON.stringify(report)),
    ],
  };
  const decide = planAttestation(services, reporter, order, reported, decisionBinding);
  const target = { flow: order.flow, trail: order.trail, ids: order.place };
  const outcome = await commitToTrail<Refusal | R>(commitOfReporter(services, reporter), target, async (situation) => {
    const plan = await decide(situation);
    return { ...plan, writes: [...(plan.writes ?? []), ...alongside(id)] };
  });
  // A commit repeats itself after `again`.
  return outcome as Exclude<typeof outcome, 'again'>;
}

const jsonFile = (part: string, filename: string, text: string): FilePart => ({
  part,
  filename,
  contentType: 'application/json',
  bytes: Buffer.from(text, 'utf8'),
});
