import * as z from 'zod';
import { ID_PATTERN } from '#shared/base/ids.ts';
import { acrossFields } from '#shared/base/validation.ts';
import type { Feature } from '#shared/callers/roles.ts';
import { HttpUrlOrEmpty } from '../addresses.ts';
import { scopesOf, type Target } from '../scope.ts';
import {
  Annotations,
  AttestationName,
  CommitInfo,
  ExternalUrls,
  Fingerprint,
  given,
  RepoInfo,
} from '../shared-fields.ts';

/** The fields of every kind of report (rules/attestations.md#common-fields). Null counts as absent. */
export const reportShape = {
  attestation_name: AttestationName.describe('Name of the attestation in the template of the trail'),
  artifact_fingerprint: Fingerprint.nullish().describe('SHA-256 of the artifact that the attestation is about'),
  /** At most 20, because each name is an item of the transaction. */
  target_artifacts: z
    .array(AttestationName)
    .max(20)
    .nullish()
    .describe('Names of artifacts in the template that the attestation is about, also before they are reported'),
  git_commit_info: CommitInfo.nullish().describe('The commit of the report'),
  repo_info: RepoInfo.nullish().describe('The source repository of the report'),
  external_urls: ExternalUrls,
  origin_url: HttpUrlOrEmpty.nullish().describe('Address where the evidence comes from'),
  description: z.string().nullish().describe('A text for people'),
  annotations: Annotations.nullish().describe('Texts by name. A name has letters, digits and `_`'),
  /** Any JSON; it is stored as the text that was sent, which the caller cuts out of the body. */
  user_data: z.unknown().optional().describe('Any JSON. It is stored and answered as it was sent'),
};

/**
 * The fields of kinds that take files: `attachments` names presigned uploads
 * (rules/attestations.md#claiming-an-upload).
 */
export const withAttachments = {
  ...reportShape,
  attachments: z
    .array(z.string().regex(ID_PATTERN))
    .max(20)
    .nullish()
    .describe('Ids of uploaded files from `POST /attachments/{org}`. Each upload can be used once'),
};

/** Named artifacts need a commit (rules/trails.md#binding-errors). For the schema of every kind. */
export const namesNeedCommit = acrossFields((report, refuse) => {
  if (!Array.isArray(report['target_artifacts'])) return;
  // A field that is not as in a target is refused by its own schema.
  const found = scopesOf(report as Target);
  if (found.outcome === 'needs_commit') refuse(found.field, found.text);
});

const CommonReport = z.object(reportShape);
/** A report of any kind, after validation. */
export type CommonReport = z.output<typeof CommonReport>;

/** The stored facts of one kind as plain JSON, without members that are stored as text. */
export type Evidence = Record<string, unknown>;

/** The definition of one kind of attestation (rules/attestations.md#kinds). */
export interface AttestationKind<S extends z.ZodType<CommonReport> = z.ZodType<CommonReport>> {
  /** The name of the kind: `custom` for all custom types. */
  type: string;
  /**
   * Last path segments of the kind's endpoint: first the main name, then aliases. If kinds share a segment, reports name theirs in
   * `type_name`.
   */
  segments: readonly [string, ...string[]];
  /** Schema of the data document. Unknown fields are ignored. */
  schema: S;
  /** Beta feature that the organization must have to report this kind. */
  feature?: Feature;
  /** Whether the kind takes files. Such kinds are sent as a form. */
  takesFiles: boolean;
  /** Returns the type of the record, which is also the value of list filters. */
  recordType: (report: z.output<S>) => string;
  /** Returns the type in status entries, as templates spell it. For an override, the type of the original. */
  slotType: (report: z.output<S>) => string;
  /** Computes the verdict. Of a custom type only its name is known here: the outcomes of its rules give the verdict. */
  verdict: (report: z.output<S>) => boolean | { customType: string };
  /** Returns the identifier of the control that a decision is about. Only decisions have one. */
  controlOf?: (report: z.output<S>) => string;
  /** Whether any fingerprint that the organization knows is accepted (rules/trails.md#decisions-on-other-artifacts). */
  takesAnyFingerprint: (report: z.output<S>) => boolean;
  /** Returns the facts that the record stores besides the common fields. */
  evidence: (report: z.output<S>) => Evidence;
  /** Returns the fields of the answer, under all names that clients know. Facts that the service added stay. */
  detail: (evidence: Evidence) => Record<string, unknown>;
}

/**
 * The rule about `target_artifacts` in JSON Schema, for the OpenAPI document (rules/trails.md#binding-errors). `allOf`
 * leaves room for the rules of a kind.
 */
const BINDABLE = {
  allOf: [
    {
      anyOf: [
        { properties: { target_artifacts: { type: ['array', 'null'], maxItems: 0 } } },
        given('artifact_fingerprint', 'string'),
        given('git_commit_info', 'object'),
      ],
    },
  ],
};

/** Completes the definition of a kind. By default `type` is its only type and answers show its facts as stored. */
export function attestationKind<S extends z.ZodType<CommonReport>>(
  kind: Pick<AttestationKind<S>, 'segments' | 'schema' | 'verdict' | 'evidence'> &
    Partial<AttestationKind<S>> & { type: string },
): AttestationKind<S> {
  const { type } = kind;
  z.globalRegistry.add(kind.schema, { ...kind.schema.meta(), ...BINDABLE });
  return {
    takesFiles: true,
    recordType: () => type,
    slotType: () => type,
    takesAnyFingerprint: () => false,
    detail: (evidence) => evidence,
    ...kind,
  };
}
