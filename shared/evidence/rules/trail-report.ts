import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Id } from '#shared/base/ids.ts';
import { withoutSpace } from '#shared/base/json-text.ts';
import { HttpUrlOrEmpty } from './addresses.ts';
import {
  type Commit,
  CommitInfo,
  commitOf,
  ExternalUrls,
  type Link,
  linksOf,
  RepoInfo,
  TrailName,
} from './shared-fields.ts';

/** The data document that begins or updates a trail (rules/trails.md#begin-or-update). Unknown fields are ignored. */
export const TrailReport = z
  .object({
    name: TrailName.describe('Name of the trail. An existing trail of this name is updated'),
    description: z.string().nullish().describe('A text for people'),
    /** Any JSON; it is stored as the text that was sent, which the caller cuts out of the body. */
    user_data: z.unknown().optional().describe('Any JSON. It is stored and answered as it was sent'),
    git_commit_info: CommitInfo.nullish().describe('The commit of the report'),
    repo_info: RepoInfo.nullish().describe('The source repository of the report'),
    external_urls: ExternalUrls,
    origin_url: HttpUrlOrEmpty.nullish().describe('Address where the evidence comes from'),
  })
  .meta({ id: 'TrailReport', description: 'Begins a trail, or updates it: what is absent stays as it was.' });
export type TrailReport = z.output<typeof TrailReport>;

/** A trail's own fields as stored (rules/trails.md#own-fields). Null means «never given». */
interface TrailFields {
  description: string | null;
  /** JSON text, as the caller sent it. */
  user_data: string | null;
  git_commit_info: Commit | null;
  external_urls: Record<string, Link> | null;
  origin_url: string | null;
}

export const NO_TRAIL_FIELDS: TrailFields = {
  description: null,
  user_data: null,
  git_commit_info: null,
  external_urls: null,
  origin_url: null,
};

/** Parses the JSON text of a trail's own fields; without a text no field was ever given. */
export const fieldsFrom = (text: string | null | undefined): TrailFields =>
  // The service wrote the text from these fields.
  text == null ? NO_TRAIL_FIELDS : JSON.parse(text);

/**
 * Returns the fields after a report. Absent and null leave a field unchanged; `""` and `{}` are values
 * (rules/trails.md#upsert-of-fields).
 *
 * @param userData JSON text of `user_data`; undefined if the report has none
 */
export function updatedFields(before: TrailFields, report: TrailReport, userData: string | undefined): TrailFields {
  return {
    description: report.description ?? before.description,
    user_data: userData === undefined || userData.trim() === 'null' ? before.user_data : userData,
    git_commit_info: commitOf(report.git_commit_info) ?? before.git_commit_info,
    external_urls: linksOf(report.external_urls) ?? before.external_urls,
    origin_url: report.origin_url ?? before.origin_url,
  };
}

/** The names of changes in `trail_updated` events, in their order (rules/trails.md#changes-of-an-update). */
export const CHANGEABLE = [
  'description',
  'user_data',
  'git_commit_info',
  'repo_info',
  'external_urls',
  'origin_url',
  'template',
] as const;
type Changeable = (typeof CHANGEABLE)[number];

/** Everything that an update can change: fields, inner ids of the repositories, digest of the trail's own template. */
export type TrailContent = TrailFields & { repo_info: readonly Id[]; template: string | null };

/** Returns the names of all changes (rules/trails.md#changes-of-an-update). Without a change there is no event. */
export function changedFields(before: TrailContent, after: TrailContent): Changeable[] {
  return CHANGEABLE.filter((name) =>
    name === 'user_data' ? !sameJson(before[name], after[name]) : !isDeepStrictEqual(before[name], after[name]),
  );
}

/**
 * Whether two JSON texts are equal apart from white space. The texts are not parsed: parsing would lose digits of
 * numbers.
 */
const sameJson = (a: string | null, b: string | null): boolean =>
  a === b || (a !== null && b !== null && withoutSpace(a) === withoutSpace(b));
