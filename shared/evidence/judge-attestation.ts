import { invalid } from '#shared/base/errors.ts';
import type { AttestationId, Id, OrganizationId } from '#shared/base/ids.ts';
import { cutMembers } from '#shared/base/json-text.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { Engines } from '#shared/engines/engines.ts';
import { readTypeForAttesting } from '#shared/evidence/records/custom-types.ts';
import { loadTemplate } from '#shared/evidence/records/templates.ts';
import type { Situation } from '#shared/evidence/records/trails.ts';
import { type AttestationKind, type CommonReport, customVerdict } from '#shared/evidence/rules/attestation-kinds.ts';
import { findOverridden } from '#shared/evidence/rules/overrides.ts';
import { archivedType, unknownType } from '#shared/evidence/rules/sentences.ts';
import {
  type AttestationSlot,
  attestationSlotKey,
  EMPTY_TRAIL,
  type Scope,
} from '#shared/evidence/rules/trail-state.ts';
import type { Table, Write } from '#shared/table/table.ts';
import type { AttestationRecord } from './records/attestation-records.ts';

/**
 * What recording a decision needs from controls. `shared/controls` implements it, because evidence may not import
 * controls.
 */
export interface DecisionBinding {
  /** @returns the number of the control's latest version; null if the control does not exist */
  versionOf(table: Table, org: OrganizationId, control: string): Promise<number | null>;
  /** Returns the writes that add the decision to the index of its control (rules/controls.md#index-of-decisions). */
  writes(org: OrganizationId, control: string, record: AttestationRecord, entry: Id): Write[];
}

/** The verdict of one report, and the facts that the rules add to it. */
interface Judged {
  compliant: boolean;
  derived: Record<string, unknown>;
}

/**
 * Computes the verdict of a report (rules/attestations.md#kinds). It is computed once and never changes afterwards.
 *
 * @param bodyText the JSON text that `body` was parsed from
 * @throws ServiceError `not-found` if the custom type is unknown; `invalid` if it is archived or its schema refuses the data
 */
export async function judgeAttestation(
  services: Pick<Stores, 'table' | 'objects'> & { engines: Engines },
  org: Organization,
  kind: AttestationKind,
  body: CommonReport,
  bodyText: string,
  binding: DecisionBinding,
): Promise<Judged> {
  const verdict = kind.verdict(body);
  if (typeof verdict === 'boolean') {
    // The present version of the control that a decision is about (rules/controls.md#decision).
    const control = kind.controlOf?.(body);
    const known = control !== undefined && {
      control_version: await binding.versionOf(services.table, org.id, control),
    };
    return { compliant: verdict, derived: { ...known } };
  }
  const { customType: name } = verdict;
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

/** The slot that a report fills in one scope. */
interface FilledSlot {
  type: string;
  /** Id of the attestation that an override replaces; null for other kinds and if nothing was found. */
  overridden: AttestationId | null;
  /** The attestation in whose place the report comes, as it is now; null if there is none. */
  replaced: AttestationSlot | null;
  derived: Record<string, unknown>;
}

/**
 * Finds the slot that a report fills in each scope. An override fills the slot of the attestation that it replaces
 * (rules/trails.md#overrides).
 *
 * @returns one slot per scope, in the order of `scopes`
 */
export async function findFilledSlots(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  kind: AttestationKind,
  body: CommonReport,
  situation: Situation,
  scopes: readonly Scope[],
): Promise<FilledSlot[]> {
  const type = kind.slotType(body);
  const state = situation.trail?.state ?? EMPTY_TRAIL;
  if (kind.type !== 'override') {
    return scopes.map((scope) => {
      const key = attestationSlotKey({ scope, name: body.attestation_name, type });
      return { type, overridden: null, replaced: state.attestations.get(key) ?? null, derived: {} };
    });
  }
  const digest = state.ownTemplate ?? situation.flow?.template ?? null;
  const template = await loadTemplate(table, objects, org.id, digest);
  return scopes.map((scope) => {
    const found = findOverridden(state, template, scope, body.attestation_name, type);
    const { original } = found;
    return {
      type: found.type,
      overridden: original?.id ?? null,
      replaced: original,
      derived: {
        original_attestation_type: found.type,
        overridden_attestation_id: original?.id ?? null,
        original_is_compliant: original?.compliant ?? null,
      },
    };
  });
}
