import * as z from 'zod';
import {
  Annotations,
  CommitInfo,
  CommitSha,
  ExternalUrls,
  Fingerprint,
  HttpUrl,
  RepoInfo,
  TemplateArtifactName,
  TrailName,
} from './shared-fields.ts';
import type { Template } from './template.ts';

/** The report of an artifact (wire flows §5 A1; required fields: semantics §16.1). Unknown fields are ignored. */
export const ArtifactReport = z
  .object({
    fingerprint: Fingerprint,
    /** Leading dots are trimmed, and something must be left. */
    filename: z.string().min(1).max(1024).regex(/[^.]/),
    git_commit: CommitSha.nullish(),
    git_commit_info: CommitInfo.nullish(),
    repo_info: RepoInfo.nullish(),
    build_url: HttpUrl,
    commit_url: HttpUrl,
    repo_url: z.string().nullish(),
    template_reference_name: TemplateArtifactName.nullish(),
    trail_name: TrailName.nullish(),
    external_urls: ExternalUrls.nullish(),
    annotations: Annotations.nullish(),
    commits_list: z.array(CommitInfo).nullish(),
    /** Legacy: false makes the artifact non-compliant (semantics §3.8). */
    is_compliant: z.boolean().nullish(),
    description: z.string().nullish(),
    /** Any JSON; the caller keeps its text. */
    user_data: z.unknown().optional(),
    /** Legacy: names of controls, as a list or separated by commas. */
    template: z.union([z.string(), z.array(z.string())]).nullish(),
  })
  .superRefine((report, context) => {
    if (commitShaOf(report) !== null) return;
    context.addIssue({ code: 'custom', path: ['git_commit'], message: 'Field required [input: None]' });
  })
  .meta({ id: 'ArtifactReport', description: 'Either git_commit or git_commit_info is required.' });
export type ArtifactReport = z.output<typeof ArtifactReport>;

const commitShaOf = (report: {
  git_commit?: string | null | undefined;
  git_commit_info?: { sha1: string } | null | undefined;
}): string | null => report.git_commit ?? report.git_commit_info?.sha1 ?? null;

/** The names under which a report is filed. */
export interface ArtifactPlace {
  commit: string;
  /** Without leading dots. */
  filename: string;
  trail: string;
  /** False when the report did not name a trail. */
  trailGiven: boolean;
  compliant: boolean;
}

/**
 * What follows from a valid report alone. A report without a trail goes to the trail named after its commit, so that
 * what comes from one commit meets (semantics §16.1); the commit is always known, so the fingerprint is never needed.
 */
export function artifactPlace(report: ArtifactReport): ArtifactPlace {
  const commit = commitShaOf(report);
  if (commit === null) throw new Error('an artifact report without a commit passed its schema');
  return {
    commit,
    filename: report.filename.replace(/^\.+/, ''),
    trail: report.trail_name ?? commit,
    trailGiven: report.trail_name != null,
    compliant: report.is_compliant !== false,
  };
}

/**
 * The template reference name of a report (semantics §16.1): its own, else the template's only artifact, else one made
 * from the file name: `registry/team/app:1.2@sha256:…` gives `app`.
 * @param template the one in force in the trail
 */
export function templateReferenceName(report: ArtifactReport, template: Template): string {
  if (report.template_reference_name != null) return report.template_reference_name;
  const [only, ...others] = template.trail.artifacts;
  return only && others.length === 0 ? only.name : nameFromFile(report.filename);
}

function nameFromFile(filename: string): string {
  const withoutDigest = filename.replace(/^\.+/, '').replace(/@[^/]*$/, '');
  const base = withoutDigest.replace(/\/+$/, '').split('/').at(-1) ?? '';
  const name = base
    .replace(/:.*$/, '')
    .replace(/[^a-zA-Z0-9\-_]/g, '-')
    .slice(0, 255);
  return name || 'artifact';
}

/** The control names of the legacy field `template`, in order, each once. */
export function legacyRequirements(report: Pick<ArtifactReport, 'template'>): string[] {
  const given = report.template ?? [];
  const names = (typeof given === 'string' ? given.split(',') : given).map((name) => name.trim());
  return [...new Set(names)].filter((name) => name !== '' && name !== 'artifact');
}

/**
 * A trail's template after a legacy report: each control name is a `*` requirement of the artifact (semantics §16.1).
 * It counts only where the flow has no template, which the caller decides.
 * @param before the trail's own template so far
 */
export function withLegacyRequirements(before: Template, artifact: string, names: readonly string[]): Template {
  const others = before.trail.artifacts.filter(({ name }) => name !== artifact);
  const attestations = names.map((name) => ({ name, type: '*' }));
  return { version: 1, trail: { ...before.trail, artifacts: [...others, { name: artifact, attestations }] } };
}
