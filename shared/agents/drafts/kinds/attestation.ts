import * as z from 'zod';
import { sentence } from '#shared/base/errors.ts';
import { AttestationId, TrailId } from '#shared/base/ids.ts';
import type { Author } from '#shared/callers/author.ts';
import { decisionBinding } from '#shared/controls/decision-binding.ts';
import { findReplaced } from '#shared/evidence/find-replaced.ts';
import {
  type AttestingServices,
  type MadeAttestation,
  type Replacing,
  recordAttestation,
} from '#shared/evidence/record-attestation.ts';
import type { Reported } from '#shared/evidence/reporting.ts';
import type { AttestationKind, CommonReport } from '#shared/evidence/rules/attestation-kinds.ts';
import { genericKind } from '#shared/evidence/rules/kinds/generic.ts';
import { reportShape } from '#shared/evidence/rules/kinds/kind.ts';
import { overrideKind } from '#shared/evidence/rules/kinds/override.ts';
import { FlowName, linksOf, TrailName } from '#shared/evidence/rules/shared-fields.ts';
import { linksOf as pagesOf } from '#shared/reasons/links.ts';
import { changesBetween, type DraftPlace, type DraftServices, draftKind, type MadeRecord } from '../draft-kind.ts';

const LONGEST_TEXT = 10_000;
const longText = (description: string) => z.string().max(LONGEST_TEXT).describe(description);

/** What drafts of both kinds say about the place of the attestation. */
const place = {
  flow: FlowName.describe('Name of the flow'),
  trail: TrailName.describe('Name of the trail, which has to exist'),
  attestation_name: reportShape.attestation_name,
  artifact_fingerprint: reportShape.artifact_fingerprint.describe(
    'SHA-256 of the artifact of the trail that it is about. Without it: the trail',
  ),
};

/** What an agent gives for an attestation whose verdict it states. */
export const AttestationDraft = z.strictObject({
  ...place,
  is_compliant: z.boolean().describe('The verdict'),
  description: longText('What was checked, by whom, and what was found').optional(),
  external_urls: reportShape.external_urls,
  annotations: reportShape.annotations,
});

/** What an agent gives for an override. */
export const OverrideDraft = z.strictObject({
  ...place,
  original_attestation_type: overrideKind.schema.shape.original_attestation_type,
  new_compliance_status: overrideKind.schema.shape.new_compliance_status,
  reason: longText('Why the attestation is overridden').min(1),
});

type Placed = Pick<z.output<typeof AttestationDraft>, keyof typeof place>;

const subjectOf = ({ attestation_name: name, flow, trail }: Placed): string => `${name} in ${flow}/${trail}`;

const callOf = (org: DraftPlace['org'], { flow, trail, ...body }: Placed, kind: AttestationKind) => ({
  method: 'POST' as const,
  path: `/attestations/${org.name}/${flow}/trail/${trail}/${kind.segments[0]}`,
  body,
});

const pageOf = (at: DraftPlace, { flow, trail }: Placed, { name }: MadeRecord): string =>
  pagesOf(at).attestation(flow, trail, name);

/** A generic attestation (rules/attestations.md#generic). */
export const attestationDraft = draftKind<z.output<typeof AttestationDraft>>({
  words: 'an attestation',
  schema: AttestationDraft,
  subjectOf,
  callOf: (org, asked) => callOf(org, asked, genericKind),
  look: async (services, { org }, asked) => {
    const { trail, replaced } = await find(services, org, asked, genericKind);
    const before = replaced && { is_compliant: replaced.slot.compliant, ...textsOf(replaced.facts) };
    const after = { ...asked, external_urls: linksOf(asked.external_urls) };
    return {
      basis: basisOf({ trail, attestation: replaced?.slot.id ?? null }),
      changes: changesBetween(before ?? {}, { is_compliant: asked.is_compliant, ...textsOf(after) }),
    };
  },
  write: (services, by, asked, basis) => record(services, by, asked, { kind: genericKind, basis }),
  pageOf,
});

/** What a generic attestation says besides its verdict. */
const textsOf = (facts: Partial<Record<'description' | 'external_urls' | 'annotations', unknown>> | null) => ({
  description: facts?.description,
  external_urls: facts?.external_urls,
  annotations: facts?.annotations,
});

const nothingToOverride = sentence(
  'not-found',
  "Trail '{trail}' of flow '{flow}' has no attestation '{name}' of the type '{type}' to override",
);

/** An override of an attestation, with a reason (rules/attestations.md#override-report). */
export const overrideDraft = draftKind<z.output<typeof OverrideDraft>>({
  words: 'an override',
  schema: OverrideDraft,
  subjectOf,
  callOf: (org, asked) => callOf(org, asked, overrideKind),
  look: async (services, { org }, asked) => {
    const {
      flow,
      trail,
      attestation_name: name,
      original_attestation_type: type,
      new_compliance_status,
      reason,
    } = asked;
    const { trail: id, replaced } = await find(services, org, asked, overrideKind);
    if (!replaced) throw nothingToOverride({ flow, trail, name, type });
    const before = replaced.facts?.evidence['reason'];
    return {
      basis: basisOf({ trail: id, attestation: replaced.slot.id }),
      changes: changesBetween(
        { is_compliant: replaced.slot.compliant, reason: before },
        { is_compliant: new_compliance_status, reason },
      ),
    };
  },
  write: (services, by, asked, basis) => record(services, by, asked, { kind: overrideKind, basis }),
  pageOf,
});

const Basis = z.object({ trail: TrailId, attestation: AttestationId.nullable() });
const basisOf = (replacing: Replacing): string => JSON.stringify(replacing);

const reportOf = ({ flow: _flow, trail: _trail, ...body }: Placed, kind: AttestationKind): CommonReport =>
  kind.schema.parse(body);

const find = (services: DraftServices, org: Author['org'], asked: Placed, kind: AttestationKind) =>
  findReplaced(services, org, asked, kind, reportOf(asked, kind));

function record(
  services: AttestingServices,
  by: Author<MadeRecord>,
  asked: Placed,
  { kind, basis }: { kind: AttestationKind; basis: string },
) {
  const { flow, trail, ...sent } = asked;
  const reported = {
    kind,
    body: reportOf(asked, kind),
    bodyText: JSON.stringify(sent),
    files: [],
    inPlaceOf: Basis.parse(JSON.parse(basis)),
  };
  const claim = ({ made }: Reported<MadeAttestation>) =>
    by.claim({ type: 'attestation', name: made.id, version: null });
  return recordAttestation(services, { ...by, claim }, { flow, trail }, reported, decisionBinding);
}
