// A page with one figure.
import { byId } from "./dom.js";
import { singleFigure } from "./figures.js";

singleFigure(byId("figure"));
