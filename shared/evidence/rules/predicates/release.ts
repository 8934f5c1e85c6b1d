import * as z from 'zod';
import { checked, shown, text } from './fields.ts';

/** Numbers of code hosts come as texts or as numbers. */
const Id = z.union([z.string(), z.number()]).nullish();

const Release = z.object({ purl: text, releaseId: Id, repository: text, tag: text });
const Publication = z.object({ name: z.string().min(1), version: z.string().min(1), registry: text });

/** Summarizes the statement of a code host that something is a release. @throws PredicateUnreadable */
export function readRelease(predicate: unknown) {
  const { purl, releaseId, repository, tag } = checked(Release, predicate);
  return {
    purl: shown(purl),
    release: releaseId === null || releaseId === undefined ? null : shown(String(releaseId)),
    repository: shown(repository),
    tag: shown(tag),
  };
}

/** Summarizes the statement of a registry that it published a package. @throws PredicateUnreadable */
export function readPublication(predicate: unknown) {
  const { name, version, registry } = checked(Publication, predicate);
  return { name: shown(name), version: shown(version), registry: shown(registry) };
}
