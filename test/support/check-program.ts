/** The text of a program of protocol 2 whose look is a generator with this body; `before` stands above it. */
export function checkProgram(body: string, before = ""): string {
  return `${before}
  function* check(context) { ${body} }
  let look;
  const step = (answers) => {
    const { done, value } = look.next(answers);
    return JSON.stringify(done ? { kind: "result", result: value } : { kind: "questions", questions: value });
  };
  module.exports.capzCheck = {
    begin(text) { look = check(JSON.parse(text)); return step([]); },
    answer: (text) => step(JSON.parse(text)),
  };`;
}
