import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { afterAll } from 'vitest';
import type { StageName } from '#infra/stages.ts';
import { type RegionTemplates, synthesizeTemplates } from '#infra/templates.ts';
import type { Endpoint, EndpointGroup } from '#shared/http/endpoint.ts';

/** Creates a folder that is removed after the last test of the file. */
export function temporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const root = temporaryFolder('templates-');
let count = 0;

/** Synthesizes the templates of every region with the given endpoint groups and settings. */
export function synthesize(
  groups: readonly EndpointGroup[],
  context: Record<string, unknown> = {},
): Record<StageName, RegionTemplates> {
  count += 1;
  return synthesizeTemplates(join(root, String(count)), groups, context);
}

/** Returns an endpoint definition with the parts that the stacks read, and no others. */
export const aRoute = (method: Endpoint['method'], path: string, uses?: Endpoint['uses']): Endpoint =>
  ({ method, path, operation: `${method} ${path}`, ...(uses && { uses }) }) as Endpoint;

/** Returns the properties of every resource of a type by logical id. @typeParam P the shape of the properties */
export const resourcesOf = <P>(template: Template, type: string): Record<string, P> =>
  Object.fromEntries(
    Object.entries(template.findResources(type)).map(([id, resource]) => [id, resource['Properties'] as P]),
  );
