import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { afterAll } from 'vitest';
import type { StageName } from '#infra/stages.ts';
import { type RegionTemplates, templatesOf } from '#infra/templates.ts';
import type { Endpoint, EndpointGroup } from '#shared/http/endpoint.ts';

/** A folder that is gone when the test file is through. */
export function folderOfFile(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const root = folderOfFile('templates-');
let count = 0;

/** The templates of every region, as they would be deployed with the given settings and groups. */
export function synthesize(
  groups: readonly EndpointGroup[],
  context: Record<string, unknown> = {},
): Record<StageName, RegionTemplates> {
  count += 1;
  return templatesOf(join(root, String(count)), groups, context);
}

/** The part of a definition that the stacks look at. */
export const aRoute = (method: Endpoint['method'], path: string, uses?: Endpoint['uses']): Endpoint =>
  ({ method, path, operation: `${method} ${path}`, ...(uses && { uses }) }) as Endpoint;

/** The properties of every resource of a type by logical id, in the shape that the caller knows them to have. */
export const resourcesOf = <P>(template: Template, type: string): Record<string, P> =>
  Object.fromEntries(
    Object.entries(template.findResources(type)).map(([id, resource]) => [id, resource['Properties'] as P]),
  );
