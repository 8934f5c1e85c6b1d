import type { AttestationId, OrganizationId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import { decisionBinding } from '#shared/controls/decision-binding.ts';
import type { EvaluationResult } from '#shared/engines/policy-engine.ts';
import {
  type DecisionOrder,
  decisionIdOf,
  type EvaluationRecord,
  readResult,
} from '#shared/evaluations/records/evaluations.ts';
import { readPolicy } from '#shared/evaluations/run-policy.ts';
import { recordAttestation } from '#shared/evidence/record-attestation.ts';
import {
  ATTESTATION_KINDS,
  type AttestationKind,
  type CommonReport,
} from '#shared/evidence/rules/attestation-kinds.ts';
import type { FilePart } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';

/**
 * Records the outcome of a completed evaluation as a decision, with policy and report as attachments
 * (rules/evaluations.md#recording). The id of the decision derives from the evaluation, so a repeated call records nothing
 * twice.
 *
 * @returns the id of the decision
 * @throws Error if the result or the policy was erased
 */
export async function recordDecision(
  services: Services,
  org: OrganizationId,
  record: EvaluationRecord,
  order: DecisionOrder,
): Promise<AttestationId> {
  const id = decisionIdOf(record);
  const result = await readResult(services.objects, org, record);
  if (!result) throw new Error(`Evaluation ${record.id} is completed and its result is missing or erased`);
  const data = {
    attestation_name: order.name,
    type_name: 'decision',
    control: order.control,
    attestation_data: { is_compliant: result.allow },
    user_data: { evaluation_id: record.id, violations: result.violations },
    ...(order.fingerprint !== null && { artifact_fingerprint: order.fingerprint }),
  };
  const { by } = record;
  const reporter = {
    org: {
      id: org,
      name: record.org,
      kind: 'shared' as const,
      features: ['controls' as const, 'evaluations' as const],
    },
    caller: { kind: by.kind, id: by.id, name: by.name, keyId: by.keyId },
  };
  const kind = ATTESTATION_KINDS.decision as AttestationKind;
  await recordAttestation(
    services,
    reporter,
    order,
    {
      kind,
      id,
      bodyText: JSON.stringify(data),
      body: kind.schema.parse(data) as CommonReport,
      files: [await policyFile(services, org, record), reportFile(record, result)],
    },
    decisionBinding,
  );
  return id;
}

/** Makes the attachment `policy.json`: the policy files of the request, path → text. */
async function policyFile(services: Services, org: OrganizationId, record: EvaluationRecord): Promise<FilePart> {
  const { policy } = await readPolicy(services, org, record);
  return jsonFile('attachment_file.0', 'policy.json', policy);
}

/** Makes the attachment `evaluation.json`: times, result and proof of the evaluation. */
function reportFile({ id, requested, recorded, proof }: EvaluationRecord, result: EvaluationResult): FilePart {
  const report = { id, requested_at: toSeconds(requested), recorded_at: toSeconds(recorded), result, proof };
  return jsonFile('attachment_file.1', 'evaluation.json', JSON.stringify(report));
}

const jsonFile = (part: string, filename: string, text: string): FilePart => ({
  part,
  filename,
  contentType: 'application/json',
  bytes: Buffer.from(text, 'utf8'),
});
