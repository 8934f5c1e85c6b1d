import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { OPTIONAL_SETTINGS } from '#infra/optional-settings.ts';
import { statementsByRole } from './statements.ts';
import { resourcesOf, serviceTemplates } from './synthesized.ts';

/**
 * Above this share of a quota, the tests fail: a stack needs to be split before the quota is reached. Resources and routes grow
 * with each feature, and a split takes time.
 */
const MOST = { resources: 0.7, 'bytes of the template': 0.7, routes: 0.7, 'characters of policies': 0.9 };

/** Quotas of CloudFormation, API Gateway and IAM that no request can raise, or that a new account has. */
const QUOTAS = { resources: 500, 'bytes of the template': 1_000_000, routes: 300, 'characters of policies': 10_240 };

/** Longer than the longest ARN of our resources, which is that of the table's stream with 137 characters. */
const ARN = 'a'.repeat(140);

/** Returns a value of a template with texts in place of references, as long as deployed texts can be. */
function deployed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(deployed);
  const [[name, argument] = ['', undefined]] = Object.entries(value);
  if (name === 'Fn::Join') {
    const [separator, parts] = argument as [string, unknown[]];
    return parts.map(deployed).join(separator);
  }
  if (name === 'Ref' || name.startsWith('Fn::')) return ARN;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, deployed(part)]));
}

/** Returns the sizes of the policies of each role by its logical id. IAM adds the inline policies of a role up. */
const policySizes = (template: Template): Map<string, number> =>
  new Map(
    [...statementsByRole(template)].map(([role, statements]) => {
      const document = { Statement: statements, Version: '2012-10-17' };
      return [role, JSON.stringify(deployed(document)).length];
    }),
  );

const stacks = serviceTemplates(OPTIONAL_SETTINGS).eu;
const { service } = stacks;
const [largestRole = '', largestPolicies = 0] =
  [...policySizes(service)].toSorted(([, one], [, other]) => other - one)[0] ?? [];

const measured = Object.entries(stacks).flatMap(([stack, template]) => {
  const json = template.toJSON();
  return [
    { what: 'resources' as const, of: `${stack} stack`, size: Object.keys(json['Resources']).length },
    // The CDK writes templates with an indentation of one space.
    {
      what: 'bytes of the template' as const,
      of: `${stack} stack`,
      size: Buffer.byteLength(JSON.stringify(json, null, 1)),
    },
  ];
});
const sizes = [
  ...measured,
  {
    what: 'routes' as const,
    of: 'gateway',
    size: Object.keys(resourcesOf(service, 'AWS::ApiGatewayV2::Route')).length,
  },
  { what: 'characters of policies' as const, of: largestRole, size: largestPolicies },
];

describe('the quotas of the platform', () => {
  test('are printed with their distance', () => {
    const lines = sizes.map(({ what, of, size }) => {
      const share = Math.round((100 * size) / QUOTAS[what]);
      return `${String(share).padStart(4)} %  ${size} of ${QUOTAS[what]} ${what} (${of})`;
    });
    console.log(['Used of the quotas, with all optional settings:', ...lines].join('\n'));
    expect(new Set(sizes.map(({ what }) => what))).toEqual(new Set(Object.keys(QUOTAS)));
  });

  test.each(sizes)('are kept with a margin: $what ($of)', ({ what, size }) => {
    expect(size).toBeGreaterThan(0);
    expect(size).toBeLessThanOrEqual(MOST[what] * QUOTAS[what]);
  });

  test('count the policies of a role together, with the ARNs that a deployment puts into them', () => {
    const join = { 'Fn::Join': ['', [{ Ref: 'Bucket' }, '/uploads/*']] };
    expect(deployed({ Action: ['s3:PutObject'], Resource: join })).toEqual({
      Action: ['s3:PutObject'],
      Resource: `${ARN}/uploads/*`,
    });
    service.resourceCountIs('AWS::IAM::Policy', 0);
  });
});
