import { describe, expect, test } from 'vitest';
import {
  ENVIRONMENT_KINDS,
  EnvironmentKindField,
  environmentKind,
  REPORT_KINDS,
} from '#shared/environments/rules/environment-kinds.ts';
import { parseOrRefuse } from '#test/support/parse-or-refuse.ts';

describe('the kinds of environments', () => {
  test('are nine, and all of them except logical take reports', () => {
    expect(Object.keys(ENVIRONMENT_KINDS)).toEqual([
      ...['K8S', 'ECS', 'S3', 'lambda', 'server', 'docker', 'azure-apps', 'cloud-run', 'logical'],
    ]);
    expect(REPORT_KINDS).toEqual(Object.keys(ENVIRONMENT_KINDS).filter((kind) => kind !== 'logical'));
  });

  test.each(Object.entries(ENVIRONMENT_KINDS))('%s is accepted by its own word and as %s', (kind, alias) => {
    expect([kind, alias].map(environmentKind)).toEqual([kind, kind]);
    expect(EnvironmentKindField.parse(alias)).toBe(kind);
  });

  test('have no word in common', () => {
    const words = Object.entries(ENVIRONMENT_KINDS).flatMap(([kind, alias]) => [...new Set([kind, alias])]);
    expect(new Set(words).size).toBe(words.length);
  });

  test.each(['k8s', 'unknown', 'LAMBDA', 'constructor', ''])('refuse %j and quote it', (word) => {
    expect(environmentKind(word)).toBeUndefined();
    expect(() => parseOrRefuse(EnvironmentKindField, word, { whole: 'type' })).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        errors: {
          type: `Input should be 'K8S', 'ECS', 'S3', 'lambda', 'server', 'docker', 'azure-apps', 'cloud-run' or 'logical' [input: ${word}]`,
        },
      }),
    );
  });

  test('refuse values that are no text', () => {
    expect(EnvironmentKindField.safeParse(7).success).toBe(false);
  });
});
