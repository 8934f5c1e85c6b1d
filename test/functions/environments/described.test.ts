import { describe, expect, it } from 'vitest';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { micros } from '#shared/base/time.ts';
import { ENVIRONMENT_KINDS } from '#shared/environments/rules/environment-kinds.ts';
import { lastModified } from '#shared/environments/settings/get-environment.ts';
import { openApiDocument } from '#shared/http/openapi.ts';

interface Described {
  properties: Record<string, { deprecated?: boolean; enum?: string[]; 'x-aliases'?: Record<string, string> }>;
  required: string[];
  additionalProperties?: boolean;
}

describe('the description of the environment upsert', () => {
  const schemas = openApiDocument([environmentsGroup]).components?.schemas as unknown as Record<string, Described>;
  const input = schemas['CreateEnvironmentPutInput'] as Described;

  it('has every field that clients send, and requires only name and type', () => {
    expect(Object.keys(input.properties).toSorted()).toEqual([
      ...['description', 'include_scaling', 'included_environments', 'name', 'policies', 'require_provenance', 'type'],
    ]);
    expect(input.required.toSorted()).toEqual(['name', 'type']);
    expect(input.additionalProperties).toBe(false);
  });

  it('lists the nine kinds of the API document, and the other accepted words beside them', () => {
    const { enum: listed, 'x-aliases': aliases } = input.properties['type'] ?? {};
    expect(listed).toEqual([
      ...['K8S', 'ECS', 'S3', 'lambda', 'server', 'docker', 'azure-apps', 'cloud-run', 'logical'],
    ]);
    expect(aliases).toEqual(ENVIRONMENT_KINDS);
  });

  it('marks what will be removed', () => {
    const deprecated = Object.entries(input.properties).filter(([, property]) => property.deprecated);
    expect(deprecated.map(([name]) => name).toSorted()).toEqual(['include_scaling', 'require_provenance']);
  });
});

describe('the last change of an environment', () => {
  it('is the latest of settings, report and snapshot', () => {
    expect(lastModified({ k: 'server', m: micros(3), r: micros(1), c: micros(2) })).toBe(3);
    expect(lastModified({ k: 'server', m: micros(1), r: micros(3), c: micros(2) })).toBe(3);
    expect(lastModified({ k: 'server', m: micros(1), r: micros(2), c: micros(3) })).toBe(3);
    expect(lastModified({ k: 'server', m: micros(1), r: micros(2), c: micros(3) }, micros(4))).toBe(4);
  });

  it('is the newest snapshot of a logical one, or its settings if there is none', () => {
    expect(lastModified({ k: 'logical', m: micros(3), r: micros(0), c: micros(2) })).toBe(2);
    expect(lastModified({ k: 'logical', m: micros(3), r: micros(0), c: micros(0) })).toBe(3);
  });
});
