import { newId, type PrincipalId } from '#shared/base/ids.ts';
import { decisionBinding } from '#shared/controls/decision-binding.ts';
import { type MadeAttestation, recordAttestation } from '#shared/evidence/record-attestation.ts';
import type { Reported } from '#shared/evidence/reporting.ts';
import { ATTESTATION_KINDS, type AttestationKind } from '#shared/evidence/rules/attestation-kinds.ts';
import { unsigned, type Verification } from '#shared/evidence/rules/verification.ts';
import type { TestApi } from '../api.ts';
import type { EvidenceOfOrganization, Place } from '../evidence.ts';
import { testName } from '../ids.ts';

/** What the service verified of a bundle: a signature of `release` by version 1 of the root `own`. */
export const aVerification = (more: Partial<Verification> = {}): Verification => ({
  ...unsigned('signed'),
  signer: { name: 'release', version: 1 },
  root: { name: 'own', version: 1, digest: 'd'.repeat(64) },
  issuer: 'https://issuer.example',
  subject: 'https://code.example/acme/web/.github/workflows/release.yml@refs/heads/main',
  predicate_type: 'https://slsa.dev/provenance/v1',
  library: '@sigstore/verify 4.1.3',
  ...more,
});

/** Records a generic attestation as one that came with a verified signature. What a bundle has to be does not matter here. */
export async function attestSigned(
  { services }: Pick<TestApi, 'services'>,
  { org: name, id }: Pick<EvidenceOfOrganization, 'org' | 'id'>,
  fields: Record<string, unknown>,
  { flow = 'web', trail = 'run', ...more }: Place & Partial<Verification> = {},
): Promise<Reported<MadeAttestation>> {
  // Each kind parses the reports that it judges.
  const kind = ATTESTATION_KINDS.generic as unknown as AttestationKind;
  const sent = { is_compliant: true, ...fields };
  return recordAttestation(
    services,
    {
      org: { id, name, kind: 'shared', features: [] },
      caller: { kind: 'user', id: newId<PrincipalId>(services.clock.now()), name: 'pipeline', keyId: null },
      receivedAt: services.clock.now(),
      claim: () => [],
    },
    { flow: testName(flow), trail: testName(trail) },
    {
      kind,
      body: kind.schema.parse(sent),
      bodyText: JSON.stringify(sent),
      files: [],
      known: { verification: aVerification(more) },
    },
    decisionBinding,
  );
}
