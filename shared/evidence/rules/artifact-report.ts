import * as z from 'zod';
import { AnyTrailName } from '#shared/base/names.ts';
import { acrossFields, isDictionary, shownInput, withInput } from '#shared/base/validation.ts';
import { HttpUrl, RepositoryAddress } from './addresses.ts';
import {
  Annotations,
  CommitInfo,
  CommitSha,
  ExternalUrls,
  Fingerprint,
  given,
  RepoInfo,
  TemplateArtifactName,
  TrailName,
} from './shared-fields.ts';
import type { Template } from './template.ts';

/** The report of an artifact (rules/artifacts.md#report-fields). Unknown fields are ignored. */
export const ArtifactReport = z
  .object({
    fingerprint: Fingerprint.describe('SHA-256 of the artifact as 64 hex digits'),
    /** Must have a character besides dots, because leading dots are removed (rules/artifacts.md#file-name). */
    filename: z
      .string()
      .min(1)
      .max(1024)
      .regex(/[^.]/)
      .describe('File name of the artifact, or the name of an image. Leading dots are removed'),
    git_commit: CommitSha.nullish().describe('SHA-1 of the commit that the artifact was built from, as 40 hex digits'),
    git_commit_info: CommitInfo.nullish().describe('The commit of the report'),
    repo_info: RepoInfo.nullish().describe('The source repository of the report'),
    build_url: HttpUrl.describe('Address of the build'),
    commit_url: HttpUrl.describe('Address of the commit'),
    repo_url: RepositoryAddress.nullish().describe('Address of the repository'),
    template_reference_name: TemplateArtifactName.nullish().describe(
      'Name of the artifact in the template of the trail',
    ),
    trail_name: TrailName.nullish().describe('Name of the trail. Without it, the SHA-1 of the commit is the name'),
    external_urls: ExternalUrls,
    annotations: Annotations.nullish().describe('Texts by name. A name has letters, digits and `_`'),
    commits_list: z
      .array(CommitInfo)
      .nullish()
      .describe('Commits that the artifact contains in addition to its own commit'),
    /** Legacy: false makes the artifact non-compliant (rules/artifacts.md#legacy-verdict). */
    is_compliant: z.boolean().nullish().describe('Deprecated. `false` makes the artifact non-compliant'),
    description: z.string().nullish().describe('A text for people'),
    /** Any JSON; it is stored as the text that was sent, which the caller cuts out of the body. */
    user_data: z.unknown().optional().describe('Any JSON. It is stored and answered as it was sent'),
    /** Legacy: names of controls, as a list or separated by commas (rules/artifacts.md#legacy-requirements). */
    template: z
      .union([z.string(), z.array(z.string())])
      .nullish()
      .describe('Deprecated. Names of the attestations that the artifact must have, as a list or separated by commas'),
  })
  .check(
    acrossFields(({ git_commit: commit, git_commit_info: info }, refuse) => {
      if (commit == null && info == null) refuse('git_commit', 'Field required [input: None]');
      if (commit == null || !isDictionary(info) || typeof info['sha1'] !== 'string' || info['sha1'] === commit) return;
      refuse('git_commit', withInput(`Input should be git_commit_info.sha1, '${shownInput(info['sha1'])}'`, commit));
    }),
  )
  .meta({
    id: 'ArtifactReport',
    description: 'Either git_commit or git_commit_info is required.',
    anyOf: [given('git_commit', 'string'), given('git_commit_info', 'object')],
  });
export type ArtifactReport = z.output<typeof ArtifactReport>;

/** Where a report belongs, and the verdict that it states. */
interface ArtifactPlace {
  commit: string;
  /** Without leading dots. */
  filename: string;
  trail: TrailName;
  compliant: boolean;
}

/**
 * Returns the facts that follow from a valid report alone. A report without a trail goes to the trail that is named
 * after its commit (rules/artifacts.md#trail-of-a-report).
 *
 * @throws Error if the report has no commit, which its schema refuses
 */
export function artifactPlace(report: ArtifactReport): ArtifactPlace {
  const commit = report.git_commit ?? report.git_commit_info?.sha1;
  if (commit === undefined) throw new Error('an artifact report without a commit passed its schema');
  return {
    commit,
    filename: report.filename.replace(/^\.+/, ''),
    trail: report.trail_name ?? AnyTrailName.parse(commit),
    compliant: report.is_compliant !== false,
  };
}

/**
 * Returns the template reference name of a report (rules/artifacts.md#template-reference-name): the reported name, else
 * the template's only artifact, else a name made from the file name: `registry/team/app:1.2@sha256:…` gives `app`.
 *
 * @param template the template in force in the trail
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

/**
 * Returns the control names of the legacy field `template`, in order, each once
 * (rules/artifacts.md#legacy-requirements).
 */
export function legacyRequirements(report: Pick<ArtifactReport, 'template'>): string[] {
  const given = report.template ?? [];
  const names = (typeof given === 'string' ? given.split(',') : given).map((name) => name.trim());
  return [...new Set(names)].filter((name) => name !== '' && name !== 'artifact');
}

/**
 * Returns a trail's template after a legacy report: each control name becomes a `*` slot of the artifact, which
 * replaces its earlier slots (rules/artifacts.md#legacy-requirements). The caller checks that the flow has no template.
 *
 * @param before the trail's own template before the report
 * @param artifact template reference name
 */
export function withLegacyRequirements(before: Template, artifact: string, names: readonly string[]): Template {
  const others = before.trail.artifacts.filter(({ name }) => name !== artifact);
  const attestations = names.map((name) => ({ name, type: '*' }));
  return { version: 1, trail: { ...before.trail, artifacts: [...others, { name: artifact, attestations }] } };
}
