/** Answers of tools: sentences and the facts behind them, cut to what an agent can read (rules/agents.md#answers). */

/** Most bytes of an answer, sentences and facts together. */
export const LARGEST_ANSWER = 4096;

/** A fact of an answer. Every text in it that comes from a record is in quotes. */
type Fact = string | number | boolean | null | readonly Fact[] | { readonly [name: string]: Fact };

/** One thing of a list, for example an artifact: its sentence and its facts. */
export interface AnswerRow {
  sentence: string;
  facts: Readonly<Record<string, Fact>>;
}

/** What a tool found. */
export interface ToolAnswer {
  /** The answer in one sentence. */
  verdict: string;
  facts: Readonly<Record<string, Fact>>;
  /** Details in the order of their weight: the last ones are left out first. */
  rows: readonly AnswerRow[];
  /** Rows that the tool did not read or did not list. */
  more?: number;
  /** How to ask for what is left out. */
  ask?: string;
  /** Where the facts can be seen: pages, records, receipts. */
  citations: readonly { what: string; url: string }[];
}

/** An answer as the protocol carries it. */
interface RenderedAnswer {
  text: string;
  structured: Record<string, unknown>;
}

/**
 * Renders an answer in at most {@link LARGEST_ANSWER} bytes: rows that do not fit are left out, the last ones first, and the answer
 * says how many and how to ask for them.
 */
export function renderAnswer(answer: ToolAnswer): RenderedAnswer {
  const whole = withRows(answer, answer.rows.length);
  if (sizeOf(whole) <= LARGEST_ANSWER) return whole;
  let [low, high] = [0, answer.rows.length - 1];
  // Bisection: of the answers that leave something out, one with more rows is larger.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sizeOf(withRows(answer, middle)) <= LARGEST_ANSWER) low = middle;
    else high = middle - 1;
  }
  return withRows(answer, low);
}

function withRows({ verdict, facts, rows, more = 0, ask, citations }: ToolAnswer, count: number): RenderedAnswer {
  const shown = rows.slice(0, count);
  const left = rows.length - count + more;
  const leftOut = left === 0 ? null : { count: left, ask: ask ?? 'Ask again with a narrower question.' };
  const lines = [
    verdict,
    ...shown.map(({ sentence }) => `- ${sentence}`),
    ...(leftOut ? [`${left} more left out. ${leftOut.ask}`] : []),
    ...citations.map(({ what, url }) => `See ${what}: ${url}`),
  ];
  return {
    text: lines.join('\n'),
    structured: {
      verdict,
      ...facts,
      ...(rows.length > 0 && { rows: shown.map((row) => row.facts) }),
      left_out: leftOut,
      citations,
    },
  };
}

const sizeOf = (answer: RenderedAnswer): number => Buffer.byteLength(JSON.stringify(answer));
