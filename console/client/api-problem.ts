/** Why a call of the API has no answer: what the API said, or that no answer came. */
export class ApiProblem extends Error {
  /** HTTP status; 0 if no answer came. */
  readonly status: number;
  /** Id of the request, for the operator's logs; null if no answer came. */
  readonly requestId: string | null;
  /** Problems by field of a 400. */
  readonly fields: ReadonlyMap<string, string>;
  /** Seconds after which the API asks to try again; null if it names none. */
  readonly retryAfter: number | null;

  constructor(
    message: string,
    facts: {
      status: number;
      requestId?: string | null;
      fields?: ReadonlyMap<string, string>;
      retryAfter?: number | null;
      cause?: unknown;
    },
  ) {
    super(message, { cause: facts.cause });
    this.name = 'ApiProblem';
    this.status = facts.status;
    this.requestId = facts.requestId ?? null;
    this.fields = facts.fields ?? new Map();
    this.retryAfter = facts.retryAfter ?? null;
  }

  /** Whether the same call may succeed later. */
  get passes(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** Reads the problem out of an answer of the API or of the gateway before it. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const text = await response.text();
  const { message, errors } = parsed(text);
  const after = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiProblem(message ?? `The service answered ${response.status} without a reason.`, {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? response.headers.get('apigw-requestid'),
    fields: new Map(Object.entries(errors ?? {}).map(([field, problem]) => [field, String(problem)])),
    retryAfter: Number.isFinite(after) ? after : null,
  });
}

function parsed(text: string): { message?: string; errors?: object } {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch (error) {
    // The gateway or a proxy answered with a page instead of JSON.
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
