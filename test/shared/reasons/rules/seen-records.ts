import type { AttestationId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import type { PolicyDecision, Resolution, RuleDefinition } from '#shared/policies/rules/decision-schema.ts';
import type { JudgedSubject } from '#shared/reasons/rules/reason-chain.ts';
import type { Links, SeenAttestation, SeenEntry, SeenTrail } from '#shared/reasons/rules/seen.ts';

/** What the resolver of reasons sees: trails, attestations and decisions about one artifact. */

export const LINKS: Links = {
  environment: (name) => `env:${name}`,
  policy: (name) => `policy:${name}`,
  trail: (flow, trail) => `trail:${flow}/${trail}`,
  attestation: (flow, trail, id) => `attestation:${flow}/${trail}/${id}`,
  evaluation: (id) => `evaluation:${id}`,
  type: (name) => `type:${name}`,
};

export const idOf = (text: string) => text as AttestationId; // a test names records by words

export const entry = (name: string, rest: Partial<SeenEntry> = {}): SeenEntry => ({
  attestation_name: name,
  attestation_type: 'generic',
  attestation_id: idOf(`id-${name}`),
  overridden_attestation_id: null,
  status: 'COMPLETE',
  is_compliant: true,
  scope: null,
  ...rest,
});
export const missing = (name: string) => entry(name, { attestation_id: null, status: 'MISSING', is_compliant: null });

export const seen = (name: string, rest: Partial<SeenAttestation> = {}): [AttestationId, SeenAttestation] => [
  idOf(`id-${name}`),
  {
    ...{ flow: 'payments', trail: 'release-10', name, compliant: false, by: 'bob', at: micros(1_793_700_000_000_000) },
    ...{ saw: null, control: null, override: null, evaluation: null, type: null },
    ...rest,
  },
];

export const trail = (status: SeenTrail['status'], ...entries: SeenEntry[]): SeenTrail => ({
  flow: 'payments',
  trail: 'release-10',
  status,
  entries,
});

export const COMPLIANCE: RuleDefinition = { type: 'trail-compliance', definition: { required: true, exceptions: [] } };
export const PROVENANCE: RuleDefinition = { type: 'provenance', definition: { required: true, exceptions: [] } };
export const asks = (name: string, control: string | null = null): RuleDefinition => ({
  type: 'attestation',
  definition: { if: null, name, type: '*', must_be_compliant: true, for_control: control },
});

export function decision(
  rule: RuleDefinition,
  type: Resolution['type'],
  place: SeenTrail | null,
  more: Partial<Resolution['context']> = {},
): PolicyDecision {
  const context = { flow_name: place?.flow ?? null, trail_name: place?.trail ?? null, artifact_status: null, ...more };
  const satisfied = type === 'rule_not_applicable' ? null : type === 'rule_satisfied';
  return {
    policy_name: 'strict',
    policy_version: 3,
    status: satisfied === false ? 'NON-COMPLIANT' : 'COMPLIANT',
    rule_evaluations: [{ rule, satisfied, ignored: satisfied === null, resolutions: [{ type, context }] }],
  };
}

export const subject = (rest: Partial<JudgedSubject>): JudgedSubject => ({
  environment: { name: 'prod', compliant: false, allowed: false },
  decisions: [],
  trails: [],
  controls: [],
  attestations: new Map(),
  ...rest,
});
