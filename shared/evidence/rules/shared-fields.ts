import * as z from 'zod';
import { shortenText } from '#shared/base/well-formed.ts';
import { HttpUrl, RepositoryAddress } from './addresses.ts';

/**
 * A name that matches a pattern of the API document. The pattern is spelled as there, with its escapes, because the
 * error text quotes it (rules/requests.md#validation-texts). All patterns are ASCII, so 255 characters are 255 bytes,
 * which is the limit for a name inside a key.
 */
export const nameMatching = (pattern: string, longest = 255) => z.string().regex(new RegExp(pattern)).max(longest);

// Patterns of rules/requests.md#names
export const FlowName = nameMatching(String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_~]*$`).brand<'FlowName'>();
export const EnvironmentName = nameMatching(String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_]*$`).brand<'EnvironmentName'>();
export type EnvironmentName = z.output<typeof EnvironmentName>;
export const TrailName = nameMatching(String.raw`^[a-zA-Z0-9][a-zA-Z0-9\-_.~]*$`).brand<'TrailName'>();
export type TrailName = z.output<typeof TrailName>;
export const TemplateArtifactName = nameMatching(String.raw`^[a-zA-Z0-9\-_]+$`);
export const AttestationName = nameMatching(String.raw`^[a-zA-Z0-9\-_,]+$`);
export const CustomTypeName = nameMatching(String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_~]*$`);
export const ActionName = nameMatching(String.raw`^[a-zA-Z0-9][a-zA-Z0-9\-_\.~/]*$`);
export const ControlIdentifier = nameMatching(String.raw`^[a-zA-Z0-9\-._~]+$`, 256);
export const Fingerprint = nameMatching('^[a-f0-9]{64}$').brand<'Fingerprint'>();
export const CommitSha = nameMatching('^[a-f0-9]{40}$');

/** Says in JSON Schema that a field is there and not null. For rules about several fields in the OpenAPI document. */
export const given = (field: string, type: 'string' | 'object' | 'array') => ({
  properties: { [field]: { type } },
  required: [field],
});

/** The commit of a report (rules/trails.md#commits). */
export const CommitInfo = z
  .object({
    sha1: CommitSha.describe('SHA-1 of the commit, as 40 hex digits'),
    message: z.string().describe('Message of the commit'),
    author: z.string().describe('Author of the commit'),
    /** Seconds since the epoch, as the client sent it. */
    timestamp: z.number().describe('Time of the commit in seconds since the epoch'),
    branch: z.string().nullish().describe('Branch of the commit'),
    url: RepositoryAddress.nullish().describe('The address'),
    author_username: z.string().nullish().describe("The author's user name at the provider of the repository"),
    signature_state: z.string().nullish().describe("State of the commit's signature, in the words of the provider"),
    parents: z.array(z.string()).nullish().describe('SHA-1 of each parent commit'),
    verified: z.boolean().nullish().describe('Whether the provider verified the signature of the commit'),
  })
  .meta({
    id: 'CommitInfo',
    description: 'A commit of the source repository. `timestamp` is in seconds since the epoch.',
  });
export type CommitInfo = z.output<typeof CommitInfo>;

/** A stored commit: without nulls; the branch is `""` if none was given (rules/trails.md#commits). */
export type Commit = {
  sha1: string;
  message: string;
  author: string;
  /** Seconds since the epoch. */
  timestamp: number;
  branch: string;
  url?: string;
  author_username?: string;
  signature_state?: string;
  parents?: string[];
  verified?: boolean;
};

/** Converts a reported commit to its stored form. */
export function commitOf(info: CommitInfo | null | undefined): Commit | null {
  if (!info) return null;
  const { url, author_username, signature_state, parents, verified } = info;
  return {
    sha1: info.sha1,
    message: info.message,
    author: info.author,
    timestamp: info.timestamp,
    branch: info.branch ?? '',
    ...(url != null && { url }),
    ...(author_username != null && { author_username }),
    ...(signature_state != null && { signature_state }),
    ...(parents != null && { parents }),
    ...(verified != null && { verified }),
  };
}

/** Cuts a refused text for its error message. */
const shortened = (text: string): string => shortenText(text, 200);

/** A string of limited length in UTF-8, for values without a pattern that become parts of keys or of list entries. */
const textOfAtMost = (bytes: number) =>
  z.string().refine((text) => Buffer.byteLength(text) <= bytes, {
    error: ({ input }) => `String should have at most ${bytes} bytes in UTF-8 [input: ${shortened(String(input))}]`,
  });
const keyText = textOfAtMost(255);

/**
 * The source repository of a report (rules/lookups.md#repository-capture). A block without id, name or url counts as
 * absent.
 */
export const RepoInfo = z
  .object({
    id: keyText.nullish().describe('Id of the repository at its provider'),
    name: keyText.nullish().describe('Name of the repository'),
    url: textOfAtMost(2048).pipe(RepositoryAddress).nullish().describe('The address'),
    provider: keyText.nullish().describe('Provider of the repository, for example `github`'),
    description: z.string().nullish().describe('Description of the repository at its provider'),
    namespace_path: z.array(z.string()).nullish().describe('The groups around the repository, outermost first'),
    additional_info: z.record(z.string(), z.unknown()).nullish().describe('Other facts about the repository'),
  })
  .meta({ id: 'RepoInfo', description: 'The source repository. Ignored unless id, name and url are all given.' });
export type RepoInfo = z.output<typeof RepoInfo>;

/** A reported repository that has everything that registration needs. */
export interface UsableRepo {
  /** Id at the provider. */
  id: string;
  name: string;
  url: string;
  provider: string | null;
  description: string | null;
}

/** Converts a reported repository; null unless id, name and url are all given (rules/lookups.md#repository-capture). */
export function usableRepo(info: RepoInfo | null | undefined): UsableRepo | null {
  if (!info?.id || !info.name || !info.url) return null;
  return {
    id: info.id,
    name: info.name,
    url: info.url,
    provider: info.provider || null,
    description: info.description ?? null,
  };
}

/**
 * Returns the family of a provider (rules/lookups.md#identity-of-a-repository). Products of one vendor have one family.
 *
 * @returns null if the report has no provider, which matches any family
 */
export function providerFamily(provider: string | null | undefined): string | null {
  if (!provider) return null;
  const name = provider.toLowerCase();
  return ['bitbucket', 'azure'].find((family) => name.startsWith(family)) ?? name;
}

const ExternalUrl = z
  .object({
    href: HttpUrl.describe('The address'),
    fingerprint: Fingerprint.nullish().describe('SHA-256 of what the link pointed to, as 64 hex digits'),
  })
  .meta({ id: 'ExternalUrl', description: 'A link, and optionally the SHA-256 of what it pointed to. Never fetched.' });

/** Links by label, each in the full form or as the address alone (rules/attestations.md#links). */
export const ExternalUrls = z
  .record(z.string().regex(/^[^.=]+$/), z.union([HttpUrl, ExternalUrl]))
  .nullish()
  .describe('Links by label. A label contains neither `.` nor `=`. A link is an address, or an object with `href`');

export type Link = { href: string; fingerprint?: string };

/** Converts all links to the full form, in which they are stored and answered. */
export function linksOf(urls: z.output<typeof ExternalUrls>): Record<string, Link> | null {
  if (!urls) return null;
  const links = Object.entries(urls).map(([label, link]): [string, Link] => {
    if (typeof link === 'string') return [label, { href: link }];
    return [label, link.fingerprint == null ? { href: link.href } : { href: link.href, fingerprint: link.fingerprint }];
  });
  return Object.fromEntries(links);
}

/** Annotations of a report (rules/attestations.md#annotations). */
export const Annotations = z.record(z.string().regex(/^[A-Za-z0-9_]+$/), z.string());
