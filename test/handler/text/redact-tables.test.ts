import { describe, expect, test } from "@jest/globals";
import { hideTables } from "../../../handler/text/redact-tables.ts";

// A table as a program prints it; ⟦ and ⟧ stand around what must be hidden.
const tables: readonly (readonly [what: string, rows: string])[] = [
  [
    "a database's, with bars and a line below the head",
    " user | password | host\n------+----------+------\n bob  | ⟦horses⟧   | h1\n eve  | ⟦sun day⟧  | h2\n(2 rows)",
  ],
  [
    "one within lines",
    "+------+--------+\n| user | passwd |\n+------+--------+\n| bob  | ⟦horses⟧ |\n+------+--------+\n| eve  | ⟦sunday⟧ |\nbob | horses",
  ],
  ["one with drawn bars", "│ user │ token  │\n├──────┼────────┤\n│ bob  │ ⟦horses⟧ │"],
  ["one with a double line below its head", " user | password\n======+==========\n bob  | ⟦horses⟧"],
  ["none below a line of blanks and bars alone", " user | password x\n  |  | \n bob  | horses"],
  ["one without a line, whose head begins with a bar", "| user | password |\n| bob | ⟦horses⟧ |\n| two |"],
  ["one without a bar at its edge", "user|password\nbob|⟦horses⟧"],
  ["… with a blank behind its head", "user|password \nbob|⟦horses⟧ "],
  ["none with a blank in front of its head", " user|password\nbob|horses"],
  ["none with words in its head", "user|password of bob\nbob|horses"],
  ["none with brackets in its head", "| user | (password) |\n| bob | horses |"],
  ["none with a sentence in its head", "| user | password of bob |\n| bob | horses |"],
  ["none where the first name is a secret's, and the line may be a row", "| password | value |\n| bob | horses |"],
  ["none where the head begins with no bar and has blanks", "user | password\nbob | horses"],
  ["none where a name has a sign", "| user | pass!word token |\n|---|---|\n| bob | horses |"],
  ["one up to the first row with other cells", "user|password|host\nbob|⟦horses⟧|h1\nbob|horses\nbob|horses|h1"],
  ["what an edge would be, where it is none", "x| user | password |\nx| bob | horses |"],
  ["one of a record", "-[ RECORD 1 ]+-------\nuser         | bob\npassword     | ⟦horses⟧\nhost         | h1"],
  ["one of a later record", "-[ RECORD 12 ]---\npassword | ⟦horses⟧"],
  ["one of a record whose line ends with a blank", "-[ RECORD 1 ]--- \npassword | ⟦horses⟧"],
  ["none of a record within a line", "x -[ RECORD 1 ]---\npassword | horses"],
  ["none of a record with more behind it", "-[ RECORD 1 ]-- x\npassword | horses"],
  ["none below what only looks like a record's begin", "-[ RECORD x ]+--- value\npassword | horses"],
  ["names and values", "NAME     VALUE\n----     -----\ndb-host  h1\ntoken    ⟦horses⟧\n\ntoken    horses"],
  ["values and names", "value,key\n⟦horses⟧,api_token\nblue,colour"],
  ["names without values", "key,colour\napi_token,blue"],
  ["one that only has values", "value,colour\nhorses,blue"],
  ["a kind of settings", "setting|value\ntoken|⟦horses⟧\ncolour|blue\ncolour|api_token"],
  [
    "one with lines below each name",
    "Name  Password  Host\n----  --------  ----\nbob   ⟦horses⟧    h1\neve   ⟦sunday⟧    h2",
  ],
  [
    "cells by their places, where one is empty",
    "Name  Password  Host\n----  --------  ----\n      ⟦horses⟧    h1\nbob             h2",
  ],
  [
    "none where a word lies across a column's begin",
    "Name  Password  Host\n----  --------  ----\na sentence that goes on and on, and never ends",
  ],
  ["one with a blank around its lines", " Name  Password\n ----  -------- \n bob   ⟦horses⟧"],
  ["none below lines with a word in front", "Name  Password\nx --  --------\nbob   horses"],
  ["… or at their begin", "Name  Password\nx---  --------\nbob   horses"],
  ["none below lines with a word behind", "Name  Password\n----  --------x\nbob   horses"],
  ["… or further behind", "Name  Password\n----  -------- x\nbob   horses"],
  ["none below a line that is longer than any", `Name  Password\n----  ${"-".repeat(600)}\nbob   horses`],
  ["what was hidden before", "Name  Password  Host\n----  --------  ----\nbob x y  <redacted:token>  h1 z q"],
  ["kubectl's", "USER  PASSWORD  HOST\nbob   ⟦horses⟧    h1\neve   ⟦sunday⟧    h2"],
  ["kubectl's with single blanks in a row", "USER  PASSWORD  HOST\nbob ⟦horses⟧ h1\nbob ⟦horses⟧ host7"],
  ["kubectl's with an empty cell", "USER  PASSWORD  HOST\n      ⟦horses⟧    h1"],
  [
    "kubectl's with two words in a name",
    "LAST LOGIN  API TOKEN  HOST\nbob         ⟦horses⟧     h1\n            ⟦horses⟧     h1",
  ],
  ["kubectl's with blanks behind its head", "USER  PASSWORD \t\nbob   ⟦horses⟧"],
  [
    "kubectl's with two words in a cell",
    "USER  PASSWORD   HOST\nbob   ⟦sun horses⟧  h1\nbob the first   ⟦sun horses⟧  h1",
  ],
  ["none with one blank between its names", "USER PASSWORD HOST\nbob horses h1"],
  ["none in small letters", "user  password  host\nbob   horses    h1"],
  [
    "the names of Secrets",
    "NAME  SECRET\nbob   db-credentials\nbob   app-db-credentials\nbob   ⟦K-db-credentials⟧\nbob   ⟦db-credentials!⟧\nbob   ⟦Kx7Qm2Wv9z⟧\nbob   ⟦horses⟧",
  ],
  ["a list with commas", "user,password\nbob,⟦horses⟧\neve,⟦sunday⟧"],
  ["a list with semicolons, quoted", '"user";"password"\n"bob";"⟦horses⟧"'],
  ["a list with tabs", "user\tpassword\nbob\t⟦horses⟧\nbob, a\t⟦sunday horses⟧"],
  ["a comma between quotes", 'user,password,host\n"bob, the first",⟦horses⟧,h1\nbob,"⟦sun,day⟧",h1'],
  ["a quote that is written twice", 'user,password,host\n"bob "",b"" c",⟦horses⟧,h1\n"",⟦horses⟧,h1'],
  ["a quote that never ends", 'user,password\n"bob,⟦horses⟧'],
  ["none of a sentence with as many commas", "user,password\nbob, ⟦horses⟧\nbob, so it was\nbob, horses"],
  ["… with more blanks", "user,password\nbob, so  it"],
  ["words with a tab between, which are no sentence", "user\tpassword\nbob the first\t ⟦horses⟧"],
  ["values that are none", "user,password\nbob,\nbob,true\nbob,\"true\"\nbob,12\nbob,''\nbob,⟦horses⟧"],
  ["no text behind its end", "user,password\nbob,⟦horses⟧\nother words\nbob,horses"],
  ["the next one, which begins where it ends", "user,password\nbob,⟦horses⟧\nuser;host;token\nbob;h1;⟦sunday⟧"],
  ["no head without a row", "user,password"],
  ["no head that tells nothing", "user,host\nbob,horses"],
  ["rows with a line between them", "user|password\nbob|⟦horses⟧\n----+----\neve|⟦sunday⟧\n++++\nbob|horses"],
  ["no text with a line in it behind its end", "user,password\nbob,⟦horses⟧\n-- other words --\nbob,horses"],
  ["rows with a line of another kind between them", "user|password\nbob|⟦horses⟧\n════════\neve|⟦sunday⟧"],
];

/** A mark in the place of each secret, and what a log has in front of each line. */
const marked = (text: string) => text.replaceAll(/⟦[^⟧]*⟧|<redacted:[a-z-]+>/gu, "⟦⟧");
const behind = (prefix: string, lines: readonly string[]) => lines.map((line) => prefix + line);

describe.each(["", "Nov 21 03:14:07 cp-0 app[7]: "])("a table is read by its head, behind %j:", (prefix) => {
  test.each(tables)("%s", (...[, rows]) => {
    const given = behind(prefix, rows.replaceAll(/[⟦⟧]/gu, "").split("\n"));
    expect(hideTables(given, () => prefix).map(marked)).toEqual(behind(prefix, marked(rows).split("\n")));
  });
});
