import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Id } from '#shared/base/ids.ts';
import { withoutSpace } from '#shared/base/json-text.ts';
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

/** The data document that begins or updates a trail (wire flows §4 T1). Unknown fields are ignored. */
export const TrailReport = z
  .object({
    name: TrailName,
    description: z.string().nullish(),
    /** Any JSON; the caller keeps its text. */
    user_data: z.unknown().optional(),
    git_commit_info: CommitInfo.nullish(),
    repo_info: RepoInfo.nullish(),
    external_urls: ExternalUrls.nullish(),
    origin_url: z.string().nullish(),
  })
  .meta({ id: 'TrailReport', description: 'Begins a trail, or updates it: what is absent stays as it was.' });
export type TrailReport = z.output<typeof TrailReport>;

/** A trail's own fields, as they are kept; null where nothing was ever given. */
export interface TrailFields {
  description: string | null;
  /** JSON text, as the caller wrote it. */
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

/**
 * The fields after a report: what it leaves out or gives as null stays as it was; `""` and `{}` are values (semantics
 * §1.4, wire flows U9).
 * @param userData JSON text of `user_data`, undefined when the report has none
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

/** What can change at an update, in the order in which `trail_updated` names it: the report's fields, then the template. */
export const CHANGEABLE = [
  'description',
  'user_data',
  'git_commit_info',
  'repo_info',
  'external_urls',
  'origin_url',
  'template',
] as const;
export type Changeable = (typeof CHANGEABLE)[number];

/** The fields, with the inner ids of the repositories that reports named, and the digest of the trail's own template. */
export type TrailContent = TrailFields & { repo_info: readonly Id[]; template: string | null };

/** The names of what differs, for `changes` of a `trail_updated` event; empty: there is no event (wire flows U10). */
export function changedFields(before: TrailContent, after: TrailContent): Changeable[] {
  return CHANGEABLE.filter((name) =>
    name === 'user_data' ? !sameJson(before[name], after[name]) : !isDeepStrictEqual(before[name], after[name]),
  );
}

/** Whether two JSON texts differ in white space at most. Nothing is parsed, so depth and the digits of numbers do not matter. */
const sameJson = (a: string | null, b: string | null): boolean =>
  a === b || (a !== null && b !== null && withoutSpace(a) === withoutSpace(b));
