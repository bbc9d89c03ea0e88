// context-limit-recovery.mjs: start a worker again with less when its context is full.
//
// One file without dependencies, for executors in JavaScript: the ten exports below have the names,
// the arguments and the results that the original tool's pages tell of; as it ships it has others. States are kept by `journal` (the program on PATH, or JOURNAL_BIN); detection and
// reduction need it not. Where it is missing nothing is kept, and no call throws because of that:
// what an executor sees is always its own error.
//
//   import { isContextLimitError, isTimeoutWithPartialOutput, attemptContextRecovery } from './context-limit-recovery.mjs';
//
//   try {
//     return await execute(task);
//   } catch (error) {
//     if (options.contextLimitRecovery) {          // off unless asked for
//       const recovery = await attemptContextRecovery(task, error, execute);
//       if (recovery.recovered) return recovery.result;
//     }
//     throw error;                                 // the original one; recovery.partialResults has the rest
//   }
//
// The rules are those of `journal work detect` and `journal work reduce`; both are tested with one
// table of cases.

import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';

/** The messages by which workers say that their context is full. */
export const CONTEXT_LIMIT_PATTERNS = [
  /context limit reached/i,
  /context window exceeded/i,
  /maximum context length/i,
  /token limit exceeded/i,
  /prompt is too long/i,
  /context_length_exceeded/i,
  /conversation is too long/i,
  /conversation too long/i,
  /exceed context limit/i,
  /exceeds the context window/i,
  /reached its context window limit/i,
  /room in the model's context window/i,
  /exceeds the maximum number of tokens/i,
  /exceed the remaining context window limit/i,
  /input is too long for requested model/i,
];

/** How often a task is tried again: once in each phase. */
export const MAX_RECOVERY_RETRIES = 2;

const TIMEOUT = /timeout|timed out|time-out|etimedout|deadline exceeded/i;
const MAX_NESTED = 8;
const LONG_PROMPT = 2000;
const SLACK = 32; // the share that a later part may be longer than the first one
const GAP = ' … '; // stands for the sentences that were left out of a line
const DAY = 24 * 60 * 60 * 1000;
const LONGEST = 9e12; // an age that `journal` can read, in milliseconds
const GOES_ON_WITH = {
  en: '(continued: what comes before this in the task is done)\n\n',
  ko: '(이어서: 이 작업에서 이보다 앞의 내용은 끝났습니다)\n\n',
  ja: '(続き: この作業のこれより前の部分は済んでいます)\n\n',
};
const MARKS = { en: '\n\n(context reduced)', ko: '\n\n(컨텍스트 축소됨)', ja: '\n\n(コンテキスト縮小済み)' };

// ---- detection ---------------------------------------------------------------------------------

/**
 * Whether an error, a result or a text says that a context is full. Of what the worker wrote only the
 * last line is looked at, where agents in print mode tell of it: the rest may well be about such messages.
 * @param {Error|object|string} error
 * @returns {boolean}
 */
export function isContextLimitError(error) {
  const { message, output } = failureOf(error);
  const said = `${message}\n${output.trim().split('\n').at(-1)}`;
  return CONTEXT_LIMIT_PATTERNS.some((pattern) => pattern.test(said));
}

/**
 * Whether a result or an error is a timeout that left output: such a worker is taken to have had
 * too much to read.
 * @param {{success?: boolean, error?: any, message?: string, output?: string, partialOutput?: string}} result
 * @returns {boolean}
 */
export function isTimeoutWithPartialOutput(result) {
  const { message, output } = failureOf(result);
  return output.trim() !== '' && TIMEOUT.test(message);
}

/** What a failure says, and what was written before it; both empty for a success. */
function failureOf(v) {
  const none = { message: '', output: '' };
  if (typeof v === 'string') return { message: v, output: '' };
  if (v === null || typeof v !== 'object') return none;
  if ((v.success === true && v.is_error !== true) || v.is_error === false) return none;
  const said = messages(v, MAX_NESTED);
  if (v.is_error === true && typeof v.result === 'string') said.push(v.result);
  let output = '';
  for (const key of ['stdout', 'output', 'partialOutput']) {
    for (const from of [v.error?.[key], v[key]]) if (typeof from === 'string' && from.trim() !== '') output = from;
  }
  return { message: said.join('\n'), output };
}

function messages(v, depth) {
  if (typeof v === 'string') return v === '' ? [] : [v];
  if (v === null || typeof v !== 'object' || depth === 0) return [];
  return ['message', 'error', 'code', 'stderr', 'cause'].flatMap((key) => messages(v[key], depth - 1));
}

const isRecoverable = (failure) => isContextLimitError(failure) || isTimeoutWithPartialOutput(failure);

// ---- reduction ---------------------------------------------------------------------------------

/**
 * The task as phase 1 sends it: without its context, and with the lines of the first half of a prompt
 * over 2000 characters, which ends with a mark. A line under 2000 characters is never cut; of a longer
 * one whole sentences of both ends are kept. The task given stays as it is.
 * @param {object} task the original task
 * @returns {object}
 */
export function reduceTaskContext(task) {
  return withoutContext(task).sent;
}

function withoutContext({ context, ...reduced }) {
  const [prompt, left] = firstHalf(promptOf(reduced));
  return { sent: { ...reduced, prompt, _recoveryPhase: 1 }, left };
}

/**
 * The task as phase 2 sends it: without context and files, and with the first half of its lines, as
 * many as fit into half of what phase 1 sent. Lines are cut as in phase 1, so a single one may well
 * stay as it is. The task given stays as it is.
 * @param {object} task the original task
 * @returns {object}
 */
export function splitTask(task) {
  return firstLines(task).sent;
}

function firstLines({ context, files, ...split }) {
  const lines = linesOf(promptOf(split));
  const half = Math.max(1, Math.floor(lines.length / 2));
  const [kept, left] = fit(lines.slice(0, half), Math.floor(length(firstHalf(promptOf(split))[0]) / 2), 0);
  return { sent: { ...split, prompt: kept.join('\n'), _recoveryPhase: 2 }, left: joined([...left, ...lines.slice(half)]) };
}

/** The parts that follow a reduced task until all was asked: about as long as that, in any case up to 2000 characters. */
function* partsAfter({ sent, left }) {
  const n = length(sent.prompt);
  const most = Math.max(LONG_PROMPT, n + Math.floor(n / SLACK));
  while (left !== '') {
    const [kept, rest] = fit(linesOf(left), most, 0);
    left = joined(rest);
    yield { sent: { ...sent, prompt: inLanguage(GOES_ON_WITH) + kept.join('\n') }, left };
  }
}

/** Lines as a text, empty when no line has a word. */
function joined(lines) {
  const all = lines.join('\n');
  return all.trim() === '' ? '' : all;
}

/** Says in words what a phase left out of a task. */
function droppedBy({ sent }, task) {
  const out = [filled(task.context) && 'the context', filled(task.files) && !filled(sent.files) && 'the files'].filter(Boolean);
  const [before, after] = [length(promptOf(task)), length(sent.prompt)];
  let said = `phase ${sent._recoveryPhase}`;
  if (out.length > 0) said += ` dropped ${out.join(' and ')}`;
  if (after < before) said += `${out.length > 0 ? ',' : ''} sent ${after} of ${before} characters`;
  return said;
}

/** What is sent, phase by phase; a phase that leaves out nothing more than the one before is not among them. */
function phases(task) {
  const all = [];
  for (const next of [withoutContext(task), firstLines(task)]) {
    if (less(next.sent, all.at(-1)?.sent ?? task)) all.push(next);
  }
  return all;
}

const filled = (v) => Boolean(v) && (typeof v !== 'object' || Object.keys(v).length > 0);

function less(next, last) {
  const mark = inLanguage(MARKS);
  const bare = (prompt) => (prompt.endsWith(mark) ? prompt.slice(0, -mark.length) : prompt).trim();
  return ['context', 'files'].some((key) => filled(last[key]) && !filled(next[key])) || bare(next.prompt) !== bare(promptOf(last));
}

const promptOf = (task) => (typeof task.prompt === 'string' ? task.prompt : '');

/** The first half of a long prompt, and what is left of it. */
function firstHalf(prompt) {
  const n = length(prompt);
  if (n <= LONG_PROMPT) return [prompt, ''];
  const mark = inLanguage(MARKS);
  const most = Math.floor(n / 2) - length(mark);
  // A heading alone is no task: the line that the half ends in is kept unless much stands before it.
  const [kept, left] = fit(linesOf(prompt), most, Math.floor(most / 2));
  const half = kept.join('\n') + mark;
  return length(half) < n ? [half, joined(left)] : [prompt, ''];
}

/** The lines of a prompt, from the first one with a word on. */
function linesOf(prompt) {
  const lines = prompt.split('\n');
  while (lines.length > 1 && lines[0].trim() === '') lines.shift();
  return lines;
}

/** The first lines that fit into so many characters, one more when these have no more than enough, and the lines left. */
function fit(lines, most, enough) {
  const kept = [];
  const left = [];
  for (let used = 0; kept.length < lines.length && used <= most; ) {
    const [line, n, cut] = shorten(lines[kept.length], most - used);
    if (used + n > most && used > enough) break;
    kept.push(line);
    if (cut) left.push(cut);
    used += n + 1; // the line break
  }
  return [kept, [...left, ...lines.slice(kept.length)]];
}

/** A line and its length; of one that may be cut and does not fit, whole sentences of both its ends, and those between. */
function shorten(line, room) {
  const n = length(line);
  if (n <= room || n < LONG_PROMPT) return [line, n];
  const said = sentences(line);
  const [from, to] = middle(said, room - length(GAP));
  const short = said.slice(0, from).join('').replace(/[ \t\r\u00a0\u3000]+$/, '') + GAP + said.slice(to).join('');
  const m = length(short);
  return from < to && m < n ? [short, m, said.slice(from, to).join('')] : [line, n];
}

/** Which sentences are to be left out so that the others fit: from the ends, the shorter one grows. */
function middle(said, room) {
  let [from, to] = [1, said.length - 1];
  let [head, tail] = [length(said[0]), length(said[to])];
  while (from < to) {
    const n = length(tail < head ? said[to - 1] : said[from]);
    if (head + tail + n > room) break;
    if (tail < head) {
      tail += n;
      to--;
    } else {
      head += n;
      from++;
    }
  }
  return [from, to];
}

// Where a sentence may end: signs, what closes quotes and brackets, white space.
const ENDING = /([.!?…。！？｡]+)(["'”’)\]」』）】》〉]*)([ \t\r\u00a0\u3000]*)/g;
const GOES_ON = /^[\p{Ll}\p{Nd}]/u; // "approx. 5", "“Why?” he said"
const BRIEF = /(?:^|[^\p{L}\p{Nd}])(?:\p{Script=Latin}|\p{Lu}\p{Script=Latin}{1,3}|\p{Nd}{1,3}|vs|cf|no)$/u; // "No. A", "Dr. Kim", "2. Item"

/** The sentences of a line; joined they are the line. In doubt two sentences are one. */
function sentences(line) {
  const all = [];
  let start = 0;
  for (const { 0: { length: size }, 1: signs, 2: closed, 3: blank, index } of line.matchAll(ENDING)) {
    const end = index + size;
    const parted = blank !== '' || (closed === '' && !'.!?…'.includes(signs.at(-1)));
    const short = signs === '.' && BRIEF.test(line.slice(Math.max(0, index - 10), index)); // five characters
    if (!parted || short || end === line.length || GOES_ON.test(line.slice(end, end + 2))) continue;
    all.push(line.slice(start, end));
    start = end;
  }
  return [...all, line.slice(start)];
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

// Every character of printable ASCII is a character that a person sees, whatever is beside it.
const isPlain = (s) => /^[\x20-\x7e\n\t]*$/.test(s);

/** The length of a text in characters that a person sees. */
function length(s) {
  if (isPlain(s)) return s.length;
  let n = 0;
  for (const _ of segmenter.segment(s)) n++;
  return n;
}

/** A text in the person's language. */
function inLanguage(texts) {
  const { env } = process;
  const said = env.JOURNAL_LANG || env.LC_ALL || env.LC_MESSAGES || env.LANG || '';
  return texts[said.split(/[_\-.@]/)[0].toLowerCase()] ?? texts.en;
}

// ---- recovery ----------------------------------------------------------------------------------

/**
 * Tries a task again after its first attempt failed, when that failure is a full context or a
 * timeout with partial output; other failures are not tried again. Phase 2 follows any failure of
 * phase 1, thrown or a result {success: false}. A phase that can leave out nothing is passed over: a
 * task that stays as it is has failed. There is no wait between attempts. What a phase left out of the
 * prompt follows when it succeeded, and the results are joined; with sendRest false it is given back as
 * notAsked, and the task is not recovered: half a task is none.
 * @param {object} task {id, prompt, type, context, files, …}, as it was given
 * @param {Error|object} error how the first attempt failed
 * @param {(task: object) => Promise<any>} executeFn makes an attempt
 * @param {{taskId?: string, saveState?: boolean, sendRest?: boolean, states?: string}} [options]
 *   states is a folder for the states' files, as journal work record --states
 * @returns {Promise<{recovered: boolean, result: any, phase: number, retries: number, partialResults: {phase: number, output: string}[], dropped: string[], notAsked: string}>}
 *   phase is the last one that was tried, 0 for none; dropped says in words what each phase left out
 */
export async function attemptContextRecovery(task, error, executeFn, options = {}) {
  const taskId = String(options.taskId || task.id || randomBytes(4).toString('hex'));
  const keep = keeper(options.saveState !== false, options.states);
  const outcome = { recovered: false, result: null, phase: 0, retries: 0, partialResults: [], dropped: [], notAsked: '' };
  const left = (phase, failure) => {
    const { output } = failureOf(failure);
    if (output !== '') outcome.partialResults.push({ phase, output });
    return failureText(failure, output);
  };
  const original = left(0, error);
  if (!isRecoverable(error)) return outcome;

  keep('start', { ...task, prompt: promptOf(task), taskId });
  keep('error', { taskId, ...original });
  let results = [];
  const asked = async (reduced, part) => {
    const { sent: { ...sent }, left: notAsked } = reduced;
    const phase = sent._recoveryPhase;
    keep('phase', { taskId, phase, part, promptLength: length(sent.prompt), notAsked });
    outcome.notAsked = notAsked;
    let failure;
    try {
      const result = await executeFn(sent);
      if (!(result && typeof result === 'object' && result.success === false)) {
        keep('phase', { taskId, phase, part, success: true });
        return results.push(result);
      }
      failure = result;
    } catch (thrown) {
      failure = thrown;
    }
    const parts = results.map((result) => ({ phase, output: outputOf(result) }));
    outcome.partialResults.push(...parts.filter(({ output }) => output !== ''));
    keep('phase', { taskId, phase, part, success: false, ...left(phase, failure) });
    return 0;
  };
  for (const reduced of phases(task)) {
    outcome.dropped.push(droppedBy(reduced, task));
    outcome.phase = reduced.sent._recoveryPhase;
    outcome.retries++;
    let good = await asked(reduced, 0);
    if (!good) continue;
    for (const next of options.sendRest === false ? [] : partsAfter(reduced)) {
      good = await asked(next, results.length);
      if (!good) break; // what was done is not done again
    }
    if (!good) break;
    Object.assign(outcome, { recovered: outcome.notAsked === '', result: joinResults(results) });
    keep('outcome', { taskId, phase: outcome.phase, success: true, result: outcome.result });
    await keep.done();
    return outcome;
  }
  keep('outcome', { taskId, phase: outcome.phase, success: false, message: original.message });
  await keep.done();
  return outcome;
}

/** The results of the parts of a task as one: the last one, with the outputs of all. */
function joinResults(results) {
  if (results.length === 1) return results[0];
  const output = results.map(outputOf).reduce((all, next) => all + (all === '' || all.endsWith('\n') ? '' : '\n') + next);
  const last = results.at(-1);
  return last && typeof last === 'object' ? { ...last, output } : output;
}

/** What a worker gave, as a text. */
function outputOf(result) {
  const output = result && typeof result === 'object' ? result.output : result;
  return output === undefined || output === null ? '' : String(output);
}

/** A failure as `journal work record` reads it. */
function failureText(failure, output) {
  return { message: failureOf(failure).message || String(failure?.error ?? failure), output };
}

// ---- states ------------------------------------------------------------------------------------

/**
 * Keeps the state of a task, and writes it as a file under .omcm/state/context-recovery too.
 * @param {string} taskId
 * @param {object} state
 * @returns {string} the path of the file, empty when nothing was kept
 */
export function saveRecoveryState(taskId, state) {
  const input = attempt(() => JSON.stringify({ ...state, taskId: String(taskId) }));
  const said = input === undefined ? undefined : journal(['record', 'state', '--write'], input);
  return said?.path ?? '';
}

/**
 * The state of a task, null when there is none.
 * @param {string} taskId
 * @returns {object|null}
 */
export function loadRecoveryState(taskId) {
  return journal(['status', '--json', '--', String(taskId)], '') ?? null;
}

/**
 * Forgets states that changed last longer ago than that.
 * @param {number} [maxAgeMs] 24 hours
 * @returns {number} how many there were
 */
export function cleanupStaleStates(maxAgeMs = DAY) {
  const age = Number.isFinite(maxAgeMs) ? Math.min(Math.max(0, Math.round(maxAgeMs)), LONGEST) : DAY;
  return journal(['gc', '--json', '--older', `${age}ms`], '')?.expired ?? 0;
}

const program = () => process.env.JOURNAL_BIN || 'journal';
const LIMIT = 256 * 1024 * 1024; // of what `journal` prints, in bytes

/** Asks `journal work`; undefined when it is missing, or has no answer. */
function journal(args, input) {
  return attempt(() => {
    const run = spawnSync(program(), ['work', ...args], { input, encoding: 'utf8', maxBuffer: LIMIT, stdio: ['pipe', 'pipe', 'ignore'] });
    return run.status === 0 ? JSON.parse(run.stdout) : undefined;
  });
}

function attempt(f) {
  try {
    return f();
  } catch {
    return undefined;
  }
}

/** Hands steps to `journal work record`, one after the other, without anybody waiting for them before done. */
function keeper(wanted, states) {
  let last = Promise.resolve(wanted);
  const keep = (step, doc) => {
    const input = attempt(() => JSON.stringify(doc)); // now: an executor may change its task
    last = last.then((there) => there && input !== undefined && record(step, input, states));
  };
  keep.done = () => last;
  return keep;
}

/** Whether `journal` is there. A step that it refuses costs that step. */
function record(step, input, states) {
  return new Promise((resolve) => {
    const child = execFile(program(), ['work', 'record', step, ...(states ? ['--states', states] : [])], { maxBuffer: LIMIT }, (error) => resolve(error?.code !== 'ENOENT'));
    child.on('error', () => resolve(false));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
