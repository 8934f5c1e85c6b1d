import * as z from 'zod';
import { ID_PATTERN } from '#shared/base/ids.ts';
import { Annotations, AttestationName, CommitInfo, ExternalUrls, Fingerprint, RepoInfo } from '../shared-fields.ts';

/** The fields that every kind of report has (wire flows §6.1). Null counts as absent. */
export const reportShape = {
  attestation_name: AttestationName,
  artifact_fingerprint: Fingerprint.nullish(),
  /** At most as many as one transaction has room for beside the rest. */
  target_artifacts: z.array(AttestationName).max(20).nullish(),
  git_commit_info: CommitInfo.nullish(),
  repo_info: RepoInfo.nullish(),
  external_urls: ExternalUrls.nullish(),
  origin_url: z.string().nullish(),
  description: z.string().nullish(),
  annotations: Annotations.nullish(),
  /** Any JSON; the caller keeps its text. */
  user_data: z.unknown().optional(),
};

/** Ids of presigned uploads (design §3), for the kinds that take files; at most 20 (semantics §15). */
export const withAttachments = {
  ...reportShape,
  attachments: z.array(z.string().regex(ID_PATTERN)).max(20).nullish(),
};

const CommonReport = z.object(reportShape);
/** A report of any kind, after validation. */
export type CommonReport = z.output<typeof CommonReport>;

/** The facts of one kind, as the record keeps them: plain JSON, each fact once, without the bodies kept as text. */
export type Evidence = Record<string, unknown>;

/** Everything that is particular to one kind of attestation. */
export interface AttestationKind<S extends z.ZodType<CommonReport> = z.ZodType<CommonReport>> {
  /** Last segments of the path that the kind is reported to: the API document's name or ours first, then aliases. */
  segments: readonly [string, ...string[]];
  /** Schema of the data document. Unknown fields are ignored. */
  schema: S;
  /** Whether files may come with it; such kinds are sent as a form. */
  takesFiles: boolean;
  /** Type of the record and of a list's filter. */
  recordType: (report: z.output<S>) => string;
  /** Type in status entries, as templates spell it. An override has that of what it replaces. */
  slotType: (report: z.output<S>) => string;
  /** Semantics §3.6; computed once, at the report. Null: it needs the outcomes of the type's rules, `customVerdict`. */
  verdict: ((report: z.output<S>) => boolean) | null;
  /** Whether a fingerprint need be known to the organization only, and not to the trail (semantics §7.2). */
  takesAnyFingerprint: (report: z.output<S>) => boolean;
  /** What the record keeps beside the common fields. */
  evidence: (report: z.output<S>) => Evidence;
  /** What reading gives back for it, under every name that clients know; facts that were added to it pass through. */
  detail: (evidence: Evidence) => Record<string, unknown>;
}

/** A kind whose type is one word everywhere and whose facts read back as they were stored, unless said otherwise. */
export function attestationKind<S extends z.ZodType<CommonReport>>(
  kind: Pick<AttestationKind<S>, 'segments' | 'schema' | 'verdict' | 'evidence'> &
    Partial<AttestationKind<S>> & { type: string },
): AttestationKind<S> {
  const { type, ...rest } = kind;
  return {
    takesFiles: true,
    recordType: () => type,
    slotType: () => type,
    takesAnyFingerprint: () => false,
    detail: (evidence) => evidence,
    ...rest,
  };
}
