import { invalid } from '#shared/base/errors.ts';
import type { AttestationId, Id, OrganizationId } from '#shared/base/ids.ts';
import { cutMembers } from '#shared/base/json-text.ts';
import { readTypeForAttesting } from '#shared/evidence/records/custom-types.ts';
import { loadTemplate } from '#shared/evidence/records/templates.ts';
import type { Situation } from '#shared/evidence/records/trails.ts';
import { type AttestationKind, type CommonReport, customVerdict } from '#shared/evidence/rules/attestation-kinds.ts';
import { findOverridden } from '#shared/evidence/rules/overrides.ts';
import { archivedType, unknownType } from '#shared/evidence/rules/sentences.ts';
import { EMPTY_TRAIL, type Scope } from '#shared/evidence/rules/trail-state.ts';
import type { Organization } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import type { Table, Write } from '#shared/table/table.ts';
import type { AttestationRecord } from './records/attestation-records.ts';

/** What a decision needs of the control that it names. Controls lie above evidence and implement it. */
export interface DecisionBinding {
  /** @returns the number of the control's latest version; null where there is no such control */
  versionOf(table: Table, org: OrganizationId, control: string): Promise<number | null>;
  /** The writes by which policies find the decision through its control. */
  writes(org: OrganizationId, control: string, record: AttestationRecord, entry: Id): Write[];
}

/** The verdict of one report, and the facts that the rules add to it. */
export interface Judged {
  compliant: boolean;
  derived: Record<string, unknown>;
}

/**
 * Semantics §3.6: computed once, when it is reported.
 * @throws ApiError 404 and 400 for a custom type that is unknown or archived, 400 for data that its schema refuses
 */
export async function judge(
  services: Services,
  org: Organization,
  kind: AttestationKind,
  body: CommonReport,
  bodyText: string,
  binding: DecisionBinding,
): Promise<Judged> {
  if (kind.verdict)
    return { compliant: kind.verdict(body), derived: await derivedOf(services, org, kind, body, binding) };
  const { type_name: name } = body as CommonReport & { type_name: string };
  const type = await readTypeForAttesting(services.table, services.objects, org.id, name);
  if (!type) throw unknownType({ type: name, org: org.name });
  if (type.archived) throw archivedType({ type: name, org: org.name });
  const data = cutMembers(bodyText, ['attestation_data'])['attestation_data'] ?? 'null';
  if (type.schema !== null) {
    const violation = await services.engines.validate(type.schema, data);
    if (violation !== null) throw invalid({ attestation_data: violation });
  }
  const outcomes = type.rules.length === 0 ? [] : await services.engines.runJq(type.rules, data);
  const { is_compliant, rule_results } = customVerdict(outcomes);
  return { compliant: is_compliant, derived: { type_version: type.version, rule_results } };
}

/** A decision records the version that its control has at that instant; null while there is none (semantics §7.2). */
async function derivedOf(
  { table }: Services,
  org: Organization,
  kind: AttestationKind,
  body: CommonReport,
  binding: DecisionBinding,
): Promise<Judged['derived']> {
  if (!kind.segments.includes('system')) return {};
  const { control } = body as CommonReport & { control: string };
  return { control_version: await binding.versionOf(table, org.id, control) };
}

/** The slot that a report fills in one scope. */
export interface FilledSlot {
  type: string;
  /** Id of what an override replaces; null for other kinds, and where there was nothing. */
  overridden: AttestationId | null;
  derived: Record<string, unknown>;
}

/** The slot types of a report, per scope: an override takes that of what it replaces (semantics §3.9). */
export async function slotsFilled(
  services: Services,
  org: Organization,
  kind: AttestationKind,
  body: CommonReport,
  situation: Situation,
  scopes: readonly Scope[],
): Promise<FilledSlot[]> {
  const type = kind.slotType(body);
  if (!isOverride(kind)) return scopes.map(() => ({ type, overridden: null, derived: {} }));
  const state = situation.trail?.state ?? EMPTY_TRAIL;
  const digest = state.ownTemplate ?? situation.flow?.template ?? null;
  const template = await loadTemplate(services.table, services.objects, org.id, digest);
  return scopes.map((scope) => {
    const found = findOverridden(state, template, scope, body.attestation_name, type);
    const { original } = found;
    return {
      type: found.type,
      overridden: original?.id ?? null,
      derived: {
        original_attestation_type: found.type,
        overridden_attestation_id: original?.id ?? null,
        original_is_compliant: original?.compliant ?? null,
      },
    };
  });
}

const isOverride = (kind: AttestationKind) => kind.segments.includes('override');
