import * as z from 'zod';

/**
 * A string that a pattern of the contract allows. The pattern is written as the contract spells it, escapes included,
 * since the text of a refusal quotes it (wire admin §1.4). All patterns are ASCII, so 255 characters are 255 bytes,
 * the most that a name may take inside a key (design §3, «Names»).
 */
const named = (pattern: string, longest = 255) => z.string().regex(new RegExp(pattern)).max(longest);

// Patterns of semantics §1.2.
export const FlowName = named(String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_~]*$`);
/** Of environments, and of policies (wire environments §2.2, §13 row 29). */
export const EnvironmentName = named(String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_]*$`);
export const TrailName = named(String.raw`^[a-zA-Z0-9][a-zA-Z0-9\-_.~]*$`);
export const TemplateArtifactName = named(String.raw`^[a-zA-Z0-9\-_]+$`);
export const AttestationName = named(String.raw`^[a-zA-Z0-9\-_,]+$`);
export const CustomTypeName = named(String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_~]*$`);
export const ActionName = named(String.raw`^[a-zA-Z0-9][a-zA-Z0-9\-_\.~/]*$`);
export const ControlIdentifier = named(String.raw`^[a-zA-Z0-9\-._~]+$`, 256);
export const Fingerprint = named('^[a-f0-9]{64}$').brand<'Fingerprint'>();
export const CommitSha = named('^[a-f0-9]{40}$');

/** An absolute http or https address with a host, for what is checked strictly (wire flows §5 A1: `build_url`, `commit_url`). */
export const HttpUrl = z.url({ protocol: /^https?$/ }).regex(/^https?:\/\/[^\s/?#\\]/);

/** The commit of a report (wire flows §9; required fields: semantics §16.1). */
export const CommitInfo = z
  .object({
    sha1: CommitSha,
    message: z.string(),
    author: z.string(),
    /** Seconds since the epoch, as the client gave it. */
    timestamp: z.number(),
    branch: z.string().nullish(),
    url: z.string().nullish(),
    author_username: z.string().nullish(),
    signature_state: z.string().nullish(),
    parents: z.array(z.string()).nullish(),
    verified: z.boolean().nullish(),
  })
  .meta({
    id: 'CommitInfo',
    description: 'A commit of the source repository. `timestamp` is in seconds since the epoch.',
  });
export type CommitInfo = z.output<typeof CommitInfo>;

/** A commit as it is kept: no nulls, and a branch, `""` where none was given (semantics §16.1). */
export interface Commit {
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
}

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

/** As much of a refused text as a refusal repeats. */
const shortened = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

/** A string whose UTF-8 form fits a place of that size: names that no pattern bounds go into keys, addresses into lists. */
const fits = (bytes: number) =>
  z.string().refine((text) => Buffer.byteLength(text) <= bytes, {
    error: ({ input }) => `String should have at most ${bytes} bytes in UTF-8 [input: ${shortened(String(input))}]`,
  });
const fitsKey = fits(255);

/** The source repository of a report (wire flows §9). A block without id, name and url counts as absent: {@link usableRepo}. */
export const RepoInfo = z
  .object({
    id: fitsKey.nullish(),
    name: fitsKey.nullish(),
    url: fits(2048).nullish(),
    provider: fitsKey.nullish(),
    description: z.string().nullish(),
    namespace_path: z.array(z.string()).nullish(),
    additional_info: z.record(z.string(), z.unknown()).nullish(),
  })
  .meta({ id: 'RepoInfo', description: 'The source repository. Ignored unless id, name and url are all given.' });
export type RepoInfo = z.output<typeof RepoInfo>;

/** A repository that a report names well enough to be registered. */
export interface UsableRepo {
  /** Id at the provider. */
  id: string;
  name: string;
  url: string;
  provider: string | null;
  description: string | null;
  namespacePath: string[];
  additionalInfo: Record<string, unknown>;
}

/** Semantics §11, «Repo capture»: id, name and url together, or nothing. */
export function usableRepo(info: RepoInfo | null | undefined): UsableRepo | null {
  if (!info?.id || !info.name || !info.url) return null;
  return {
    id: info.id,
    name: info.name,
    url: info.url,
    provider: info.provider || null,
    description: info.description ?? null,
    namespacePath: info.namespace_path ?? [],
    additionalInfo: info.additional_info ?? {},
  };
}

/** The family that tells repositories apart: one provider's products fold into one (wire flows U28). Null: any. */
export function providerFamily(provider: string | null | undefined): string | null {
  if (!provider) return null;
  const name = provider.toLowerCase();
  return ['bitbucket', 'azure'].find((family) => name.startsWith(family)) ?? name;
}

const ExternalUrl = z
  .object({ href: z.string().min(1), fingerprint: Fingerprint.nullish() })
  .meta({ id: 'ExternalUrl', description: 'A link, and optionally the SHA-256 of what it pointed to. Never fetched.' });

/** Label → link (wire flows §9): the full form, or the address alone. */
export const ExternalUrls = z.record(z.string().regex(/^[^.=]+$/), z.union([z.string().min(1), ExternalUrl]));
export type ExternalUrls = z.output<typeof ExternalUrls>;

export interface Link {
  href: string;
  fingerprint?: string;
}

/** Every link in the full form, as it is stored and answered. */
export function linksOf(urls: ExternalUrls | null | undefined): Record<string, Link> | null {
  if (!urls) return null;
  const links = Object.entries(urls).map(([label, link]): [string, Link] => {
    if (typeof link === 'string') return [label, { href: link }];
    return [label, link.fingerprint == null ? { href: link.href } : { href: link.href, fingerprint: link.fingerprint }];
  });
  return Object.fromEntries(links);
}

/** Free facts beside a report (semantics §1.2: the keys' pattern). */
export const Annotations = z.record(z.string().regex(/^[A-Za-z0-9_]+$/), z.string());
