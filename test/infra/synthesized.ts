import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { afterAll } from 'vitest';
import { groups } from '#functions/groups.ts';
import type { StageName } from '#infra/stages.ts';
import { type RegionTemplates, synthesizeTemplates } from '#infra/templates.ts';
import type { Endpoint, EndpointGroup } from '#shared/http/endpoint.ts';

/** Creates a folder that is removed after the last test of the file. */
export function temporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Synthesizes the templates of every region with the given endpoint groups and settings. */
export function synthesize(
  groups: readonly EndpointGroup[],
  context: Record<string, unknown> = {},
): Record<StageName, RegionTemplates> {
  const folder = mkdtempSync(join(tmpdir(), 'templates-'));
  try {
    return synthesizeTemplates(folder, groups, context);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const kept = new Map<string, Record<StageName, RegionTemplates>>();

/**
 * Returns the templates of the whole service. Test files that run in the same worker share the templates of the same
 * settings, so a test must not change them.
 */
export function serviceTemplates(context: Record<string, unknown> = {}): Record<StageName, RegionTemplates> {
  const settings = JSON.stringify(context);
  const templates = kept.get(settings) ?? synthesize(groups, context);
  kept.set(settings, templates);
  return templates;
}

/** Returns an endpoint definition with the parts that the stacks read, and no others. */
export const aRoute = (method: Endpoint['method'], path: string, uses?: Endpoint['uses']): Endpoint =>
  ({ method, path, operation: `${method} ${path}`, ...(uses && { uses }) }) as Endpoint;

/** Returns the properties of every resource of a type by logical id. @typeParam P the shape of the properties */
export const resourcesOf = <P>(template: Template, type: string): Record<string, P> =>
  Object.fromEntries(
    Object.entries(template.findResources(type)).map(([id, resource]) => [id, resource['Properties'] as P]),
  );
